package io.ocicat.cni.exec;

import io.ocicat.cni.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * What a plugin left behind: 0 and a result or nothing, or another number and an error object.
 *
 * @param exitCode as the shell would tell it: 128 + n after signal n
 * @param stderr what it logged, for people
 * @param reason why it failed, when it ran in this process and said so
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares replies
public record PluginReply(
    int exitCode, byte[] stdout, String stderr, @Nullable FailureReason reason) {
  public PluginReply {
    stdout = stdout.clone();
  }

  public PluginReply(int exitCode, byte[] stdout, String stderr) {
    this(exitCode, stdout, stderr, null);
  }

  @Override
  public byte[] stdout() {
    return stdout.clone();
  }
}
