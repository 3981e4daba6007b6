package io.ocicat.testkit;

import java.util.HexFormat;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The name of a host's namespace, {@code oci-<pid>-<start>-<random>}. It identifies the process
 * that created it, so that anyone can see whether that process still runs: a process id alone may
 * have been reused, but with its start time (in clock ticks since boot) it is unique.
 */
record HostName(long pid, long start, String suffix) {

  private static final Pattern FORM = Pattern.compile("oci-(\\d{1,10})-(\\d{1,18})-([0-9a-f]{8})");

  static HostName next() {
    long self = ProcessHandle.current().pid();
    long start =
        ProcessStatus.of(self)
            .orElseThrow(() -> new TestkitException("cannot read /proc/" + self + "/stat"))
            .startTicks();
    String suffix = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    return new HostName(self, start, suffix);
  }

  static Optional<HostName> parse(String name) {
    Matcher matcher = FORM.matcher(name);
    return matcher.matches()
        ? Optional.of(
            new HostName(
                Long.parseLong(matcher.group(1)),
                Long.parseLong(matcher.group(2)),
                matcher.group(3)))
        : Optional.empty();
  }

  boolean ownerIsGone() {
    return ProcessStatus.of(pid).filter(now -> now.startTicks() == start).isEmpty();
  }

  @Override
  public String toString() {
    return "oci-%d-%d-%s".formatted(pid, start, suffix);
  }
}
