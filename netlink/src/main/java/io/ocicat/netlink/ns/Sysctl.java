package io.ocicat.netlink.ns;

import static io.ocicat.netlink.linux.NetlinkException.check;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.netlink.linux.Fd;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;

/**
 * A kernel setting under /proc/sys, as a path rather than a dotted name: interface names may hold
 * dots. Settings under {@code net} belong to a namespace, so read and write them inside {@link
 * NetNs#visit}.
 */
public record Sysctl(List<String> path) {
  private static final int LONGEST_VALUE = 4096;

  public Sysctl {
    path = List.copyOf(path);
    for (String part : path) {
      if (part.isEmpty()
          || part.equals(".")
          || part.equals("..")
          || part.contains("/")
          || part.contains("\0")) {
        throw new IllegalArgumentException(
            "\"" + String.join("/", path) + "\" is not the name of a sysctl");
      }
    }
  }

  /** For instance {@code of("net", "ipv4", "conf", "eth0", "proxy_arp")}. */
  public static Sysctl of(String... path) {
    return new Sysctl(List.of(path));
  }

  /**
   * Parses a name as sysctl(8) does: the first separator found, a dot or a slash, is the separator,
   * and the other one is converted the other way round ({@code net.ipv4.conf.eth0/100.forwarding}
   * is about eth0.100).
   */
  public static Sysctl parse(String name) {
    int dot = name.indexOf('.');
    int slash = name.indexOf('/');
    boolean dotted = dot >= 0 && (slash < 0 || dot < slash);
    return dotted
        ? new Sysctl(
            List.of(name.split("\\.", -1)).stream().map(part -> part.replace('/', '.')).toList())
        : new Sysctl(List.of(name.split("/", -1)));
  }

  /** The value in the calling thread's namespace, without the trailing newline. */
  public String read() {
    try (Fd file = Fd.open(file(), Fd.O_RDONLY, 0);
        Arena arena = Arena.ofConfined()) {
      MemorySegment memory = arena.allocate(LONGEST_VALUE);
      long size =
          check(
              Kernel.call(Syscall.READ, file.number(), memory.address(), LONGEST_VALUE),
              () -> "read " + this);
      return new String(memory.asSlice(0, size).toArray(JAVA_BYTE), UTF_8).stripTrailing();
    }
  }

  /** Sets the value in the calling thread's namespace. */
  public void write(String value) {
    try (Fd file = Fd.open(file(), Fd.O_WRONLY, 0);
        Arena arena = Arena.ofConfined()) {
      byte[] bytes = value.getBytes(UTF_8);
      MemorySegment memory = arena.allocateFrom(JAVA_BYTE, bytes);
      check(
          Kernel.call(Syscall.WRITE, file.number(), memory.address(), bytes.length),
          () -> "set " + this + " to \"" + value + "\"");
    }
  }

  public String readIn(NetNs namespace) {
    return namespace.visit(this::read);
  }

  public void writeIn(NetNs namespace, String value) {
    namespace.visit(
        () -> {
          write(value);
          return this;
        });
  }

  private Path file() {
    return Path.of("/proc/sys", path.toArray(String[]::new));
  }

  @Override
  public String toString() {
    return "sysctl " + String.join("/", path);
  }
}
