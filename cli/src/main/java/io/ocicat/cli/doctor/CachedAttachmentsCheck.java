package io.ocicat.cli.doctor;

import io.ocicat.cli.check.ExpectedAttachment;
import io.ocicat.cli.check.ExpectedAttachments;
import io.ocicat.cli.check.ShortIds;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Finds attachments that only libcni's cache has and whose container is gone: the runtime has
 * forgotten them. {@link RecordsCheck} finds those that we have a record of.
 */
record CachedAttachmentsCheck(ExpectedAttachments expectedAttachments, RemovedNetworks networks)
    implements DoctorCheck {
  @Override
  public String name() {
    return "cache";
  }

  @Override
  public List<DoctorFinding> run() {
    ShortIds ids = expectedAttachments.shortIds();
    Map<String, List<String>> gone = new TreeMap<>();
    expectedAttachments.all().stream()
        .filter(expected -> expected.requests().isEmpty() && !expected.netnsIsThere())
        .sorted(Comparator.comparing(expected -> expected.name(ids)))
        .forEach(
            (ExpectedAttachment expected) ->
                gone.computeIfAbsent(expected.network(), _ -> new ArrayList<>())
                    .add(expected.name(ids)));
    return gone.entrySet().stream()
        .map(
            entry ->
                DoctorFinding.warning(
                    "libcni's cache has %d attachments to network %s%s, whose namespaces are gone: %s"
                        .formatted(
                            entry.getValue().size(),
                            entry.getKey(),
                            networks.remark(entry.getKey()),
                            OrphanLinksCheck.some(entry.getValue())),
                    "their addresses and rules stay until there is a DEL",
                    networks.removalAdvice(entry.getKey())))
        .toList();
  }
}
