package io.ocicat.cli.inspect;

import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.daemon.state.AttachmentKey;
import io.ocicat.daemon.state.CallRecord;
import io.ocicat.daemon.state.PodName;
import io.ocicat.daemon.trace.Cause;
import io.ocicat.daemon.trace.FinishedCall;
import io.ocicat.netlink.linux.RangeLock;
import io.ocicat.plugins.hostlocal.Lease;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Diagnoses the state of a container's interfaces: first calls that are in progress or half done,
 * then what exists and whether the kernel agrees, then what was tried.
 */
final class Diagnosis {
  private static final Duration AT_ONCE = Duration.ofMillis(1);

  /** Runtimes' caches have no times, so of two containers the running one counts. */
  private static final Comparator<AttachmentReport> LAST_AND_SOUND_FIRST =
      Comparator.comparing(AttachmentReport::last)
          .thenComparing(report -> report.verdict().isFine())
          .reversed();

  private final ContainerRecords evidence;
  private final AttachmentCheck check;

  Diagnosis(ContainerRecords evidence, AttachmentCheck check) {
    this.evidence = evidence;
    this.check = check;
  }

  /** One for each interface, the most recent first; none when nothing is known. */
  List<AttachmentReport> reports() {
    return evidence.attachmentKeys().stream()
        .map(this::report)
        .sorted(LAST_AND_SOUND_FIRST)
        .toList();
  }

  private AttachmentReport report(AttachmentKey key) {
    List<CallRecord> attached = of(key, evidence.attachments());
    List<CallRecord> begun = of(key, evidence.journal());
    List<CallRecord> spooled = of(key, evidence.spool());
    List<FinishedCall> calls =
        evidence.daemon().calls().stream()
            .filter(
                call ->
                    call.containerId().equals(key.containerId())
                        && call.ifName().equals(key.ifName()))
            .toList();
    Optional<ExpectedAttachment> expected =
        Optional.ofNullable(evidence.expectedAttachments().byKey().get(key));
    List<String> sentences = new ArrayList<>();
    Finding finding;
    if (!begun.isEmpty() || isUnderWay(key)) {
      finding = begun(key, begun, sentences);
    } else if (!spooled.isEmpty()) {
      sentences.add("a DEL that was answered could not be finished yet");
      failure(calls, sentences);
      finding = new Finding(AttachmentState.DEL_PENDING, Cause.NONE);
    } else if (!attached.isEmpty()) {
      finding = attached(expected.orElseThrow(), calls, sentences);
    } else if (expected.isPresent() && !countsMore(calls)) {
      finding = cached(expected.get(), sentences);
    } else if (!calls.isEmpty()) {
      finding = called(calls, sentences);
    } else {
      finding = leased(key, sentences);
    }
    List<CallRecord> records = new ArrayList<>(attached);
    records.addAll(begun);
    records.addAll(spooled);
    return new AttachmentReport(
        key.containerId(),
        key.ifName(),
        pod(records, calls).or(() -> expected.map(ExpectedAttachment::pod)).orElse(""),
        network(records, calls)
            .or(() -> expected.map(ExpectedAttachment::network))
            .or(() -> leases(key).map(Lease::network).findFirst())
            .orElse(""),
        finding.verdict(),
        finding.cause(),
        sentences,
        finding.problems(),
        finding.next(evidence.daemon().answers()),
        last(records, calls));
  }

  /**
   * A finding.
   *
   * @param problems what is wrong
   * @param instead what to do in this case, if not the usual
   */
  private record Finding(
      AttachmentState verdict, Cause cause, List<Discrepancy> problems, Optional<String> instead) {
    Finding(AttachmentState verdict, Cause cause) {
      this(verdict, cause, List.of(), Optional.empty());
    }

    static Finding of(List<Discrepancy> problems) {
      if (problems.isEmpty()) {
        return new Finding(AttachmentState.ATTACHED, Cause.NONE);
      }
      AttachmentState verdict = AttachmentState.of(problems.getFirst().kind());
      boolean usual = verdict == AttachmentState.NETNS_GONE;
      return new Finding(
          verdict,
          Cause.NONE,
          problems,
          usual ? Optional.empty() : Optional.of(problems.getFirst().advice()));
    }

    String next(boolean daemonRuns) {
      String usual = verdict.advice(daemonRuns);
      return instead.orElse(usual.isEmpty() ? cause.advice() : usual);
    }
  }

  private static List<CallRecord> of(AttachmentKey key, List<CallRecord> records) {
    return records.stream().filter(record -> record.key().equals(Optional.of(key))).toList();
  }

  private boolean isUnderWay(AttachmentKey key) {
    return evidence.daemon().underWay().contains(key.containerId());
  }

  /** A process that works on an attachment holds its lock. */
  private Finding begun(AttachmentKey key, List<CallRecord> begun, List<String> sentences) {
    boolean free = false;
    if (!isUnderWay(key)) {
      Optional<RangeLock> lock = evidence.state().lock(key, AT_ONCE);
      free = lock.isPresent();
      lock.ifPresent(RangeLock::close);
    }
    for (CallRecord record : begun) {
      sentences.add(
          "%s began %s ago and is noted as not ended"
              .formatted(record.plugin(), ago(Instant.ofEpochMilli(record.unixMillis()))));
    }
    return new Finding(free ? AttachmentState.KILLED : AttachmentState.UNDER_WAY, Cause.NONE);
  }

  private Finding attached(
      ExpectedAttachment expected, List<FinishedCall> calls, List<String> sentences) {
    CallRecord first = expected.requests().getFirst();
    sentences.add(
        "attached by %s %s ago%s"
            .formatted(
                String.join(", ", expected.requests().stream().map(CallRecord::plugin).toList()),
                ago(Instant.ofEpochMilli(first.unixMillis())),
                addresses(expected)));
    Finding found = Finding.of(check.run(expected));
    if (found.verdict().isFine() && !calls.isEmpty() && calls.getLast().failed()) {
      return failure(calls, sentences).orElse(found);
    }
    return found;
  }

  private static String addresses(ExpectedAttachment expected) {
    List<String> addresses = expected.addresses().stream().map(Object::toString).toList();
    return addresses.isEmpty() ? "" : " with " + String.join(" and ", addresses);
  }

  /** Whether the last call says more than the runtime's cache. */
  private static boolean countsMore(List<FinishedCall> calls) {
    return !calls.isEmpty() && (calls.getLast().failed() || calls.getLast().verb().equals("DEL"));
  }

  /** An attachment that was made without a daemon, or by external plugins. */
  private Finding cached(ExpectedAttachment expected, List<String> sentences) {
    sentences.add(
        "its runtime's cache has it as attached%s; ocicatd has no record, so it was attached without it"
            .formatted(addresses(expected)));
    Finding found = Finding.of(check.run(expected));
    return found.verdict() != AttachmentState.NETNS_GONE
        ? found
        : new Finding(
            found.verdict(),
            Cause.NONE,
            found.problems(),
            Optional.of(
                "the container has ended: `ocicat net gc %s` detaches it, as the runtime's DEL does"
                    .formatted(expected.network())));
  }

  private Stream<Lease> leases(AttachmentKey key) {
    return evidence.leases().stream()
        .filter(lease -> lease.holder().containerId().equals(key.containerId()))
        .filter(lease -> lease.holder().ifName().equals(key.ifName()));
  }

  private Finding leased(AttachmentKey key, List<String> sentences) {
    leases(key)
        .forEach(
            lease ->
                sentences.add(
                    "host-local has leased %s of network %s to it, and neither its runtime nor ocicatd has it as attached"
                        .formatted(lease.address(), lease.network())));
    return new Finding(AttachmentState.LEASE_LEFT, Cause.NONE);
  }

  private Finding called(List<FinishedCall> calls, List<String> sentences) {
    if (calls.getLast().failed()) {
      return failure(calls, sentences).orElseThrow();
    }
    sentences.add("the last call, %s, went well".formatted(describe(calls.getLast())));
    Optional<FinishedCall> undone =
        calls.stream()
            .filter(call -> call.verb().equals("ADD"))
            .reduce((_, later) -> later)
            .filter(FinishedCall::failed);
    undone.ifPresent(add -> sentences.add("before that " + describeFailure(add)));
    return undone
        .map(add -> new Finding(AttachmentState.ADD_FAILED, add.cause()))
        .orElse(new Finding(AttachmentState.DELETED, Cause.NONE));
  }

  /** The last call that failed. */
  private static Optional<Finding> failure(List<FinishedCall> calls, List<String> sentences) {
    List<FinishedCall> failed = calls.stream().filter(FinishedCall::failed).toList();
    if (failed.isEmpty()) {
      return Optional.empty();
    }
    FinishedCall last = failed.getLast();
    sentences.add(describeFailure(last));
    AttachmentState verdict =
        switch (last.verb()) {
          case "DEL" -> AttachmentState.DEL_FAILED;
          case "CHECK" -> AttachmentState.CHECK_FAILED;
          default -> AttachmentState.ADD_FAILED;
        };
    return Optional.of(new Finding(verdict, last.cause()));
  }

  private static String describeFailure(FinishedCall call) {
    return "%s failed: %s (code %d); see `ocicat trace %s`"
        .formatted(describe(call), call.message(), call.code(), call.containerId());
  }

  private static String describe(FinishedCall call) {
    return "%s %s %s ago".formatted(call.plugin(), call.verb(), ago(call.time()));
  }

  private static String ago(Instant time) {
    Duration past = Duration.between(time, Instant.now());
    if (past.toDays() > 0) {
      return past.toDays() + " days";
    }
    return past.toHours() > 0
        ? past.toHours() + " h"
        : past.toMinutes() > 0 ? past.toMinutes() + " min" : past.toSeconds() + " s";
  }

  private static Optional<String> pod(List<CallRecord> records, List<FinishedCall> calls) {
    return records.stream()
        .map(record -> PodName.of(record.environment()))
        .findFirst()
        .or(() -> calls.stream().map(FinishedCall::pod).findFirst());
  }

  private static Optional<String> network(List<CallRecord> records, List<FinishedCall> calls) {
    return records.stream()
        .map(CallRecord::network)
        .findFirst()
        .or(() -> calls.stream().map(FinishedCall::network).findFirst());
  }

  private static Instant last(List<CallRecord> records, List<FinishedCall> calls) {
    Instant called = calls.isEmpty() ? Instant.EPOCH : calls.getLast().time();
    return records.stream()
        .map(record -> Instant.ofEpochMilli(record.unixMillis()))
        .reduce(called, (a, b) -> a.isAfter(b) ? a : b);
  }
}
