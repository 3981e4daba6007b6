package io.ocicat.conformance;

import io.ocicat.cni.CniException;
import io.ocicat.cni.SpecVersion;
import io.ocicat.cni.VersionReply;
import io.ocicat.cni.json.Json;
import io.ocicat.cni.json.Quoted;
import io.ocicat.conformance.check.Check;
import io.ocicat.conformance.check.Checks;
import io.ocicat.conformance.check.Verdict;
import io.ocicat.conformance.lab.Answer;
import io.ocicat.conformance.lab.Call;
import io.ocicat.conformance.lab.Claims;
import io.ocicat.conformance.lab.Lab;
import io.ocicat.conformance.lab.Scratch;
import io.ocicat.conformance.report.Deviations;
import io.ocicat.conformance.report.Finding;
import io.ocicat.conformance.report.Report;
import io.ocicat.conformance.subject.Subject;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;

/**
 * Checks a plugin:
 *
 * <pre>{@code
 * Subject bridge = Subject.of(Path.of("/usr/lib/cni/bridge"), Optional.empty(), Optional.empty());
 * Report report = new Conformance(bridge).run();
 * }</pre>
 *
 * <p>Needs to be root, of the machine or of a user namespace. Every check has namespaces and
 * directories of its own, so nothing of the machine is touched, and several run at once.
 */
public final class Conformance {
  /** Most of a check is waiting for the kernel, so there may be more than there are processors. */
  private static final int JOBS = 4;

  private final Subject subject;
  private List<Check> checks = Checks.all();
  private Deviations deviations = Deviations.NONE;
  private int jobs = JOBS;
  private Consumer<Claims> onBegin = _ -> {};
  private Consumer<Finding> onFinding = _ -> {};

  public Conformance(Subject subject) {
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

  private static boolean matches(Check check, String name) {
    return check.id().equals(name) || check.topic().equals(name);
  }

  public Conformance expecting(Deviations known) {
    deviations = known;
    return this;
  }

  /** Is told the plugin's versions before the first check, and of each check when it is done. */
  public Conformance listener(Consumer<Claims> begin, Consumer<Finding> finding) {
    onBegin = begin;
    onFinding = finding;
    return this;
  }

  public List<Check> checks() {
    return checks;
  }

  /** How many checks run at once; they are reported in their order all the same. */
  public Conformance jobs(int count) {
    if (count < 1) {
      throw new ConformanceException("there must be at least one job, not " + count);
    }
    jobs = count;
    return this;
  }

  public Report run() {
    long start = System.nanoTime();
    List<Finding> findings = new ArrayList<>();
    try (Scratch scratch = Scratch.open(subject)) {
      Claims claims = claims(scratch);
      onBegin.accept(claims);
      try (Workers workers = new Workers(subject.netns().isPresent() ? 1 : jobs)) {
        for (Future<Finding> future :
            workers.startAll(checks, check -> finding(check, scratch, claims))) {
          Finding finding = workers.await(future);
          findings.add(finding);
          onFinding.accept(finding);
        }
      }
      return new Report(subject, claims, findings, since(start));
    }
  }

  private Finding finding(Check check, Scratch scratch, Claims claims) {
    long start = System.nanoTime();
    Verdict verdict = check.run(scratch, subject.profile(), claims);
    return new Finding(
        check, verdict, deviations.find(subject.name(), check.id()).orElse(null), since(start));
  }

  private static Duration since(long start) {
    return Duration.ofNanos(System.nanoTime() - start);
  }

  /** What the plugin says about itself; whether it says so properly is for the checks. */
  private Claims claims(Scratch scratch) {
    try (Lab lab = scratch.lab(Claims.NONE)) {
      Call version =
          lab.call("VERSION", Json.object().put("cniVersion", SpecVersion.LATEST.text()));
      Claims own = claims(lab, version);
      return subject.ipam().map(ipam -> own.with(claims(lab, version.of(ipam)))).orElse(own);
    }
  }

  private static Claims claims(Lab lab, Call version) {
    try {
      return lab.run(version) instanceof Answer.Ended ended
          ? Claims.of(VersionReply.parse(ended.stdout()).supportedVersions())
          : Claims.NONE;
    } catch (CniException _) {
      return Claims.NONE;
    }
  }
}
