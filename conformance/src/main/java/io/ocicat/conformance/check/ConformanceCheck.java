package io.ocicat.conformance.check;

import io.ocicat.cni.SpecVersion;
import io.ocicat.conformance.lab.ClaimedVersions;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.Mismatch;
import io.ocicat.conformance.lab.Scratch;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.conformance.subject.Profile;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;

/**
 * One requirement on plugins, with the code that checks it.
 *
 * @param id {@code topic.what}, as users name it
 * @param sentence what a conforming plugin does
 * @param source where that is written: a section of the specification, or the library (libcni,
 *     skel) that everybody uses
 * @param kinds of plugins that it applies to
 * @param since the oldest version that it applies to
 */
public record ConformanceCheck(
    String id,
    Severity severity,
    String sentence,
    String source,
    Set<PluginKind> kinds,
    SpecVersion since,
    Condition condition,
    Trial trial) {
  private static final Pattern ID = Pattern.compile("[a-z]+(-[a-z]+)*\\.[a-z0-9.]+(-[a-z0-9.]+)*");

  /** Says why a check does not apply to a plugin, if so. */
  @FunctionalInterface
  interface Condition extends BiFunction<Profile, ClaimedVersions, Optional<String>> {}

  public ConformanceCheck {
    kinds = Set.copyOf(kinds);
    if (!ID.matcher(id).matches()) {
      throw new IllegalArgumentException("not the id of a check: " + id);
    }
  }

  static ConformanceCheck must(String id, String sentence, String source, Trial trial) {
    return of(id, Severity.MUST, sentence, source, trial);
  }

  static ConformanceCheck should(String id, String sentence, String source, Trial trial) {
    return of(id, Severity.SHOULD, sentence, source, trial);
  }

  static ConformanceCheck of(
      String id, Severity severity, String sentence, String source, Trial trial) {
    return new ConformanceCheck(
        id,
        severity,
        sentence,
        source,
        EnumSet.allOf(PluginKind.class),
        SpecVersion.V0_1_0,
        (_, _) -> Optional.empty(),
        trial);
  }

  /** The same for some kinds of plugins only. */
  ConformanceCheck on(PluginKind... some) {
    return new ConformanceCheck(
        id, severity, sentence, source, Set.of(some), since, condition, trial);
  }

  ConformanceCheck since(SpecVersion version) {
    return new ConformanceCheck(id, severity, sentence, source, kinds, version, condition, trial);
  }

  /** The same for plugins to which {@code other} does not object. */
  ConformanceCheck unless(Condition other) {
    return new ConformanceCheck(id, severity, sentence, source, kinds, since, other, trial);
  }

  /** What comes before the first dot. */
  public String topic() {
    return id.substring(0, id.indexOf('.'));
  }

  /** Runs the check in a fresh lab. */
  public CheckVerdict run(Scratch scratch, Profile profile, ClaimedVersions claims) {
    Optional<String> obstacle = obstacle(profile, claims);
    if (obstacle.isPresent()) {
      return new CheckVerdict.NotApplicable(obstacle.get());
    }
    if (scratch.hangsTooOften()) {
      return new CheckVerdict.NotApplicable(
          "not tried: the plugin exceeded the time limit too often");
    }
    try (Lab lab = scratch.lab(claims)) {
      try {
        trial.run(lab);
        return new CheckVerdict.Passed();
      } catch (Mismatch e) {
        return new CheckVerdict.Failed(e.expected(), e.actual(), lab.reproduction());
      }
    }
  }

  private Optional<String> obstacle(Profile profile, ClaimedVersions claims) {
    if (!kinds.contains(profile.kind())) {
      return Optional.of("it is not for plugins of kind " + profile.kind());
    }
    if (!claims.newest().isAtLeast(since)) {
      return Optional.of("it needs version %s, the plugin supports %s".formatted(since, claims));
    }
    return condition.apply(profile, claims);
  }
}
