package io.ocicat.conformance;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Json;
import io.ocicat.cni.CniException;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.ConformanceCheck;
import io.ocicat.conformance.lab.CallResult;
import io.ocicat.conformance.lab.ClaimedVersions;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.LabCall;
import io.ocicat.conformance.lab.Scratch;
import io.ocicat.conformance.report.CheckFinding;
import io.ocicat.conformance.report.ConformanceReport;
import io.ocicat.conformance.report.Deviations;
import io.ocicat.conformance.subject.ConformanceException;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Runs the conformance checks against a plugin:
 *
 * <pre>{@code
 * PluginUnderTest bridge =
 *     PluginUnderTest.of(Path.of("/usr/lib/cni/bridge"), Optional.empty(), Optional.empty());
 * ConformanceReport report = new Conformance(bridge).run();
 * }</pre>
 *
 * <p>Needs to be root, of the machine or of a user namespace. Every check has namespaces and
 * directories of its own, so nothing of the machine is touched, and several run at once.
 */
public final class Conformance {
  /** Most of a check is waiting for the kernel, so there may be more than there are processors. */
  private static final int JOBS = 4;

  private final PluginUnderTest subject;
  private List<ConformanceCheck> checks = Checks.all();
  private Deviations deviations = Deviations.NONE;
  private int jobs = JOBS;
  private Consumer<ClaimedVersions> onBegin = _ -> {};
  private Consumer<CheckFinding> onFinding = _ -> {};

  public Conformance(PluginUnderTest subject) {
    this.subject = subject;
  }

  /**
   * Runs some of the checks only.
   *
   * @param names ids of checks, or topics
   */
  public Conformance only(List<String> names) {
    for (String name : names) {
      if (Checks.all().stream().noneMatch(check -> matches(check, name))) {
        throw new ConformanceException(
            "there is no check or topic called " + Quoted.brief(name) + "; --list shows them all");
      }
    }
    checks =
        Checks.all().stream()
            .filter(check -> names.stream().anyMatch(name -> matches(check, name)))
            .toList();
    return this;
  }

  private static boolean matches(ConformanceCheck check, String name) {
    return check.id().equals(name) || check.topic().equals(name);
  }

  public Conformance expecting(Deviations known) {
    deviations = known;
    return this;
  }

  /**
   * Sets listeners for the plugin's versions, called before the first check, and for each finished
   * check.
   */
  public Conformance listener(Consumer<ClaimedVersions> begin, Consumer<CheckFinding> finding) {
    onBegin = begin;
    onFinding = finding;
    return this;
  }

  public List<ConformanceCheck> checks() {
    return checks;
  }

  /** How many checks run at once; they are still reported in order. */
  public Conformance jobs(int count) {
    if (count < 1) {
      throw new ConformanceException("there must be at least one job, not " + count);
    }
    jobs = count;
    return this;
  }

  public ConformanceReport run() {
    long start = System.nanoTime();
    List<CheckFinding> findings = new ArrayList<>();
    try (Scratch scratch = Scratch.open(subject)) {
      ClaimedVersions claims = claims(scratch);
      onBegin.accept(claims);
      try (CheckWorkers workers = new CheckWorkers(subject.netns().isPresent() ? 1 : jobs)) {
        for (Future<CheckFinding> future :
            workers.startAll(checks, check -> finding(check, scratch, claims))) {
          CheckFinding finding = workers.await(future);
          findings.add(finding);
          onFinding.accept(finding);
        }
      }
      return new ConformanceReport(subject, claims, findings, since(start));
    }
  }

  private CheckFinding finding(ConformanceCheck check, Scratch scratch, ClaimedVersions claims) {
    long start = System.nanoTime();
    CheckVerdict verdict = check.run(scratch, subject.profile(), claims);
    return new CheckFinding(
        check, verdict, deviations.find(subject.name(), check.id()).orElse(null), since(start));
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** The versions that the plugin claims; the checks decide whether it does so properly. */
  private ClaimedVersions claims(Scratch scratch) {
    try (Lab lab = scratch.lab(ClaimedVersions.NONE)) {
      LabCall version =
          lab.call("VERSION", Json.object().put("cniVersion", SpecVersion.LATEST.text()));
      ClaimedVersions own = claims(lab, version);
      return subject.ipam().map(ipam -> own.with(claims(lab, version.of(ipam)))).orElse(own);
    }
  }

  private static ClaimedVersions claims(Lab lab, LabCall version) {
    try {
      return lab.run(version) instanceof CallResult.Ended ended
          ? ClaimedVersions.of(VersionReply.parse(ended.stdout()).supportedVersions())
          : ClaimedVersions.NONE;
    } catch (CniException _) {
      return ClaimedVersions.NONE;
    }
  }
}
