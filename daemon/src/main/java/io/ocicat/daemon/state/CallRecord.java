package io.ocicat.daemon.state;

import io.ocicat.base.BootId;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.CniEnvironment;
import io.ocicat.cni.exec.Verb;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * All that is needed to do a call again, or to undo it with DEL.
 *
 * @param boot the boot in which it was made
 * @param unixMillis when it was made, for people
 * @param bootNanos when it was made, by the clock that counts from boot and cannot be set; 0 in
 *     records of versions that did not record it
 * @param hostNetns the caller's network namespace
 * @param netns the container's; {@link NamespaceId#NONE} when it had none
 * @param environment the variables that plugins read
 * @param result what ADD returned; empty while it is in progress
 */
@SuppressWarnings("ArrayRecordComponent") // nobody compares records
public record CallRecord(
    BootId boot,
    long unixMillis,
    long bootNanos,
    NamespaceId hostNetns,
    NamespaceId netns,
    String plugin,
    Map<String, String> environment,
    byte[] stdin,
    byte[] result) {
  /** "OCR1". */
  private static final int MAGIC = 0x3152434f;

  private static final int PREFIX = 2 * Integer.BYTES;

  /** As in versions without {@link #bootNanos}. */
  public CallRecord(
      BootId boot,
      long unixMillis,
      NamespaceId hostNetns,
      NamespaceId netns,
      String plugin,
      Map<String, String> environment,
      byte[] stdin,
      byte[] result) {
    this(boot, unixMillis, 0, hostNetns, netns, plugin, environment, stdin, result);
  }

  public CallRecord {
    environment = Map.copyOf(environment);
  }

  public CallRecord withResult(byte[] answer) {
    return new CallRecord(
        boot, unixMillis, bootNanos, hostNetns, netns, plugin, environment, stdin, answer);
  }

  /** Whether it was made after another record of the same boot. */
  public boolean isNewerThan(CallRecord other) {
    return (bootNanos > 0 && other.bootNanos > 0)
        ? bootNanos > other.bootNanos
        : unixMillis > other.unixMillis;
  }

  /** Whether it is this very record, read at another time. */
  public boolean isSameAs(CallRecord other) {
    return unixMillis == other.unixMillis && bootNanos == other.bootNanos;
  }

  /** The call that it was made for; empty for callers that send no id. */
  public Optional<CallId> id() {
    return CallId.of(environment);
  }

  public Optional<AttachmentKey> key() {
    return AttachmentKey.of(environment);
  }

  /** The network's name; empty when the request has none. */
  public String network() {
    try {
      return PluginConfig.ofRequest(stdin).name();
    } catch (CniException _) {
      return "";
    }
  }

  /** Whether it records an ADD; else it is a DEL. */
  public boolean isAdd() {
    return Verb.ADD.name().equals(environment.get(CniEnvironment.COMMAND));
  }

  /** The value of CNI_NETNS. */
  public String netnsPath() {
    return environment.getOrDefault(CniEnvironment.NETNS, "");
  }

  /**
   * Whether the path of its namespace still leads to the same namespace, or to one just like it.
   */
  public boolean namespaceIsWhereItWas() {
    return !netns.isNone() && netns.equals(NamespaceId.of(netnsPath()));
  }

  byte[] bytes() {
    byte[] name = plugin.getBytes(StandardCharsets.UTF_8);
    StringBuilder block = new StringBuilder();
    environment.forEach((key, value) -> block.append(key).append('=').append(value).append('\0'));
    byte[] variables = block.toString().getBytes(StandardCharsets.UTF_8);
    int size =
        PREFIX + 12 * Long.BYTES + name.length + variables.length + stdin.length + result.length;
    ByteBuffer out = ByteBuffer.allocate(size);
    out.putInt(MAGIC).putInt(0);
    out.putLong(boot.id().getMostSignificantBits()).putLong(boot.id().getLeastSignificantBits());
    out.putLong(unixMillis);
    hostNetns.write(out);
    netns.write(out);
    for (byte[] part : new byte[][] {name, variables, stdin, result}) {
      out.putInt(part.length).put(part);
    }
    // After everything else: versions that do not know it read no further.
    out.putLong(bootNanos);
    out.putInt(Integer.BYTES, checksum(out.array(), out.position()));
    return Arrays.copyOf(out.array(), out.position());
  }

  /** Empty when these are not the bytes of a complete record. */
  static Optional<CallRecord> parse(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      if (in.getInt() != MAGIC || in.getInt() != checksum(bytes, bytes.length)) {
        return Optional.empty();
      }
      BootId boot = new BootId(new UUID(in.getLong(), in.getLong()));
      long millis = in.getLong();
      NamespaceId host = NamespaceId.read(in);
      NamespaceId netns = NamespaceId.read(in);
      String plugin = new String(part(in), StandardCharsets.UTF_8);
      Map<String, String> environment = new LinkedHashMap<>();
      for (String variable : new String(part(in), StandardCharsets.UTF_8).split("\0", -1)) {
        int equals = variable.indexOf('=');
        if (equals > 0) {
          environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        }
      }
      byte[] stdin = part(in);
      byte[] result = part(in);
      long nanos = in.remaining() >= Long.BYTES ? in.getLong() : 0;
      return Optional.of(
          new CallRecord(boot, millis, nanos, host, netns, plugin, environment, stdin, result));
    } catch (BufferUnderflowException | NegativeArraySizeException _) {
      return Optional.empty();
    }
  }

  private static byte[] part(ByteBuffer in) {
    int length = in.getInt();
    if (length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] part = new byte[length];
    in.get(part);
    return part;
  }

  private static int checksum(byte[] bytes, int end) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, PREFIX, end - PREFIX);
    return (int) crc.getValue();
  }
}
