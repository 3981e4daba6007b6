package io.ocicat.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.report.CheckFinding;
import io.ocicat.conformance.report.CheckOutcome;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.conformance.subject.PluginUnderTest;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a plugin does wrong, the corresponding check notices. */
@Execution(ExecutionMode.CONCURRENT)
class BrokenPluginTest {
  @ParameterizedTest(name = "{0} {1} fails {2}")
  @CsvSource(
      textBlock =
          """
          ipam, versions-as-text, version.reply-shape
          ipam, versions-twice, version.known-versions
          ipam, no-echo, version.echo
          ipam, version-refuses-others, version.any-request
          ipam, version-needs-stdin, version.empty-stdin
          ipam, version-needs-stdin, version.garbage-stdin
          ipam, version-needs-stdin, version.closed-stdin
          ipam, version-needs-container, version.no-variables
          ipam, version-checks-names, version.bad-variables
          ipam, knows-every-verb, verb.unknown
          ipam, knows-every-verb, verb.lower-case
          ipam, knows-every-verb, verb.line-break
          ipam, vague-about-verbs, verb.unknown-text
          ipam, about-on-stdout, verb.none
          ipam, forgives-missing, environment.add-without-containerid
          ipam, wrong-code, environment.add-without-netns
          ipam, vague-about-variables, environment.del-without-ifname
          ipam, names-one-variable, environment.all-missing-named
          ipam, any-container-id, names.container-id-with-slash
          ipam, any-container-id, names.container-id-with-bad-utf-8
          ipam, long-container-ids, names.good-container-ids
          ipam, any-interface, names.interface-with-two-dots-only
          ipam, any-network-name, names.network-with-leading-dash
          ipam, believes-everything, stdin.not-json
          ipam, wrong-code, stdin.empty
          ipam, any-network-name, stdin.name-missing
          ipam, crashes-on-bad-json, stdin.deep-nesting
          ipam, believes-everything, stdin.cut-off
          ipam, every-version, config-version.unsupported
          ipam, wrong-code, config-version.garbage
          ipam, every-verb-for-every-version, config-version.check-too-old
          ipam, every-verb-for-every-version, config-version.gc-too-old
          ipam, every-verb-for-every-version, config-version.status-too-old
          ipam, always-newest, config-version.absent
          ipam, two-documents, output.one-document-on-success
          ipam, noise-on-stdout, output.one-document-on-success
          ipam, two-documents-on-failure, output.one-document-on-failure
          ipam, error-on-stderr, output.one-document-on-failure
          ipam, exit-code-0, output.exit-code-on-failure
          ipam, error-code-as-text, output.error-shape
          ipam, error-as-text, output.error-shape
          ipam, no-version-in-errors, output.error-version
          ipam, unknown-code, output.error-code-range
          ipam, talks-at-del, output.del-silent
          ipam, talks-at-check, output.check-silent
          ipam, always-newest, versions.0.2.0
          ipam, always-newest, versions.0.4.0
          ipam, wrong-version-in-result, versions.1.1.0
          interface, bad-index, versions.1.0.0
          interface, wrong-interface, add.interface-made
          interface, leaves-interface-down, add.interface-made
          interface, wrong-sandbox, add.interface-in-result
          interface, wrong-mac, add.interface-in-result
          interface, forgets-address, add.addresses-configured
          interface, add-again-succeeds, add.twice
          interface, takes-existing, add.name-taken
          interface, ignores-missing-netns, add.no-such-netns
          interface, ignores-missing-netns, add.netns-is-a-file
          interface, ignores-missing-netns, netns.directory
          interface, leaves-halves, add.failure-undone
          interface, leaves-interface, add.after-del
          ipam, no-lock, add.in-parallel
          ipam, check-always-fails, check.after-add
          interface, check-repairs, check.changes-nothing
          interface, checks-nothing, check.notices-loss
          ipam, checks-nothing, check.notices-loss
          chained, checks-nothing, check.notices-loss
          chained, check-needs-no-prev-result, check.needs-prev-result
          interface, leaves-interface, del.interface-gone
          interface, del-not-idempotent, del.twice
          ipam, del-not-idempotent, del.never-added
          interface, del-not-idempotent, del.after-failed-add
          ipam, keeps-address-without-prev-result, del.without-prev-result
          ipam, del-needs-netns, del.netns-unset
          ipam, del-needs-netns, del.netns-empty
          ipam, keeps-address-without-netns, del.netns-vanished
          ipam, keeps-address-without-namespace, del.netns-is-a-file
          interface, del-not-idempotent, del.interface-missing
          interface, del-not-idempotent, del.after-killed-add
          ipam, deletes-everything, del.only-its-own
          chained, drops-prev-result, chain.result-handed-on
          chained, needs-no-prev-result, chain.result-missing
          chained, crashes-on-null, chain.prev-result-with-null
          ipam, ipam-names-interface, ipam.abbreviated-result
          ipam, ipam-makes-links, ipam.touches-no-network
          interface, runs-any-path, delegation.type-with-path
          interface, ignores-missing-ipam, delegation.unknown-plugin
          interface, delegates-less, delegation.add
          interface, forgets-ipam-at-check, delegation.check
          interface, forgets-ipam-at-del, delegation.del
          interface, forgets-ipam-at-failure, delegation.del-after-failure
          interface, forgets-ipam-at-gc, delegation.gc
          interface, forgets-ipam-at-status, delegation.status
          ipam, talks-at-gc, gc.empty-list
          ipam, gc-needs-array, gc.null-list
          ipam, gc-needs-list, gc.no-list
          ipam, gc-frees-valid, gc.keeps-valid
          ipam, gc-frees-all-without-list, gc.no-list-keeps-all
          ipam, gc-of-all-networks, gc.other-network
          ipam, gc-frees-nothing, gc.frees-stale
          ipam, never-ready, status.ready
          ipam, status-needs-container, status.no-container
          interface, status-changes-something, status.changes-nothing
          ipam, any-namespace, netns.own
          ipam, any-namespace, netns.own-by-process
          interface, any-namespace, netns.own-unchanged
          interface, any-namespace, netns.own-del
          interface, late-namespace-check, netns.own-unchanged
          ipam, no-override, netns.override
          ipam, any-override, netns.override-off
          interface, leaks-links, residue.host
          interface, leaks-routes, residue.container
          ipam, leaks-files, residue.files
          ipam, keeps-address, residue.files
          ipam, litters, residue.files
          ipam, leaves-process, residue.processes
          """)
  void isCaught(String kind, String defect, String check) {
    List<CheckFinding> findings =
        Exemplar.check(PluginKind.find(kind).orElseThrow(), defect, check).findings();

    assertThat(findings).hasSize(1);
    assertThat(findings.getFirst().verdict()).isInstanceOf(CheckVerdict.Failed.class);
  }

  @Test
  void aChangedResultIsCaughtWhereItHasToStay() {
    PluginUnderTest subject = Exemplar.with(PluginKind.CHAINED, "changes-dns");

    assertThat(resultUnchanged(subject)).isInstanceOf(CheckVerdict.NotApplicable.class);
    assertThat(resultUnchanged(subject.profile(subject.profile().keepingResult())))
        .isInstanceOf(CheckVerdict.Failed.class);
  }

  private static CheckVerdict resultUnchanged(PluginUnderTest subject) {
    return new Conformance(subject)
        .only(List.of("chain.result-unchanged"))
        .run()
        .findings()
        .getFirst()
        .verdict();
  }

  @Test
  void aPluginThatHangsIsNotWaitedForTooOften() {
    var report =
        new Conformance(Exemplar.with(PluginKind.IPAM, "hangs").limit(Duration.ofMillis(300)))
            .only(List.of("output", "del"))
            .run();

    CheckFinding first = report.findings().getFirst();
    assertThat(first.check().id()).isEqualTo("output.in-time");
    assertThat(first.verdict())
        .isInstanceOfSatisfying(
            CheckVerdict.Failed.class,
            failed -> assertThat(failed.actual()).startsWith("no end: not finished after 300 ms"));
    assertThat(report.count(CheckOutcome.FAILED)).isLessThan(10);
    assertThat(report.findings().getLast().verdict())
        .isEqualTo(
            new CheckVerdict.NotApplicable(
                "not tried: the plugin exceeded the time limit too often"));
  }
}
