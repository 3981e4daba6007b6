package io.ocicat.cni.exec;

import io.ocicat.cni.FailureReason;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a plugin execution: 0 and a result or nothing, or another number and an error
 * object.
 *
 * @param exitCode by the shell's convention: 128 + n after signal n
 * @param stderr its log output, for people
 * @param reason why it failed, when it ran in this process and gave one
 */
@SuppressWarnings("ArrayRecordComponent") // Replies are never compared.
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
