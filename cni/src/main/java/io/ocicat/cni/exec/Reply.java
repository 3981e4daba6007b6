package io.ocicat.cni.exec;

/**
 * What a plugin left behind: 0 and a result or nothing, or another number and an error object.
 *
 * @param exitCode as the shell would tell it: 128 + n after signal n
 * @param stderr what it logged, for people
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares replies
public record Reply(int exitCode, byte[] stdout, String stderr) {
  public Reply {
    stdout = stdout.clone();
  }

  @Override
  public byte[] stdout() {
    return stdout.clone();
  }
}
