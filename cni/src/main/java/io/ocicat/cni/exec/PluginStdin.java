package io.ocicat.cni.exec;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.PluginConfig;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import org.jspecify.annotations.Nullable;

/**
 * The request that a plugin reads on stdin: the bytes that a process gets, and the configuration
 * that a plugin in this JVM gets. Made from either; the other is made when it is needed, once.
 * Thread-safe, except when it reads a stream.
 */
public final class PluginStdin {
  private final @Nullable InputStream stream;
  private volatile byte @Nullable [] bytes;
  private volatile @Nullable PluginConfig config;

  private PluginStdin(
      @Nullable InputStream stream, byte @Nullable [] bytes, @Nullable PluginConfig config) {
    this.stream = stream;
    this.bytes = bytes;
    this.config = config;
  }

  public static PluginStdin of(byte[] bytes) {
    return new PluginStdin(null, bytes.clone(), null);
  }

  public static PluginStdin of(PluginConfig config) {
    return new PluginStdin(null, null, config);
  }

  /** Reads the stream only when the request is needed: it may be a terminal. */
  public static PluginStdin of(InputStream stream) {
    return new PluginStdin(stream, null, null);
  }

  /**
   * The bytes.
   *
   * @throws CniException with code 5 when they cannot be read
   */
  public byte[] bytes() {
    return known().clone();
  }

  /** How many bytes there are; see {@link #bytes()}. */
  public int length() {
    return known().length;
  }

  private byte[] known() {
    byte[] known = bytes;
    if (known == null) {
      PluginConfig parsed = config;
      known = parsed == null ? read() : parsed.bytes();
      bytes = known;
    }
    return known;
  }

  private byte[] read() {
    try {
      return stream == null ? new byte[0] : stream.readNBytes(CniJson.MAX_BYTES + 1);
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE, "error reading from stdin: " + e.getMessage(), e);
    }
  }

  /**
   * The configuration.
   *
   * @throws CniException with code 6 when the bytes contain none; see {@link #bytes()}
   */
  public PluginConfig config() {
    PluginConfig known = config;
    if (known == null) {
      known = PluginConfig.ofRequest(known());
      config = known;
    }
    return known;
  }

  /** The same for DEL, where an invalid prevResult counts as missing. */
  public PluginConfig configForDel() {
    PluginConfig known = config;
    return known == null ? PluginConfig.ofDelRequest(known()) : known;
  }

  /** The bytes as they arrive. */
  public InputStream stream() {
    return stream == null || bytes != null ? new ByteArrayInputStream(known()) : stream;
  }
}
