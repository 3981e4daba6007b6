package io.ocicat.cli.doctor;

import io.ocicat.cli.check.AttachmentCheck;
import io.ocicat.cli.check.Discrepancy;
import io.ocicat.cli.check.Discrepancy.Kind;
import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.ShortIds;
import io.ocicat.cni.plugin.Plugin;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Checks that every attachment whose container is running is still what ADD made it. What affects
 * many in the same way, such as a setting of the host, is one finding.
 */
record AttachmentsCheck(
    ExpectedAttachments expectedAttachments, Function<String, Optional<Plugin>> plugins)
    implements DoctorCheck {
  @Override
  public String name() {
    return "attachments";
  }

  @Override
  public List<DoctorFinding> run() {
    ShortIds ids = expectedAttachments.shortIds();
    Map<Discrepancy, List<String>> found = new LinkedHashMap<>();
    try (AttachmentCheck check = new AttachmentCheck(expectedAttachments, plugins)) {
      List<ExpectedAttachment> ordered =
          expectedAttachments.all().stream()
              .filter(ExpectedAttachment::netnsIsThere)
              .sorted(Comparator.comparing(expected -> expected.name(ids)))
              .toList();
      for (ExpectedAttachment expected : ordered) {
        for (Discrepancy one : check.run(expected)) {
          found.computeIfAbsent(one, _ -> new ArrayList<>()).add(expected.name(ids));
        }
      }
    }
    List<DoctorFinding> findings = new ArrayList<>();
    expectedAttachments
        .obstacles()
        .forEach(
            why ->
                findings.add(
                    DoctorFinding.warning(
                        "not all attachments could be checked: " + why,
                        "their problems are not listed here",
                        "make it readable; most checks need root")));
    found.forEach((one, whose) -> findings.add(finding(one, whose, ids)));
    return findings;
  }

  private static DoctorFinding finding(Discrepancy one, List<String> whose, ShortIds ids) {
    String what = "%s: %s".formatted(OrphanLinksCheck.some(whose), ids.in(one.sentence()));
    return one.kind() == Kind.UNKNOWN
        ? DoctorFinding.warning(what, "something may be wrong here", one.advice())
        : DoctorFinding.problem(
            what,
            whose.size() == 1
                ? "it is not what ADD made it, so traffic may not pass"
                : "%d attachments are concerned; traffic may not pass".formatted(whose.size()),
            ids.in(one.advice()));
  }
}
