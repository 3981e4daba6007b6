package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.datastore.resource.ResourceQuery;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.check.IpamCheck;
import io.ocicat.ipam.check.IpamFinding;
import io.ocicat.ipam.model.AddressInfo;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat ipam check}: finds inconsistencies in Calico's IPAM data. */
@Command(
    name = "check",
    description = {
      "Find records that contradict each other, and unused addresses.",
      "Looks at addresses, handles, affinities and blocks."
    },
    footer = {"", "Example: ocicat ipam check --show-problem-ips"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong, or --fix has repaired it",
      "1:something is wrong",
      "2:the command line is invalid; nothing was done"
    })
final class IpamCheckCommand extends IpamCommandContext {
  /** Of one kind, unless all are requested. */
  private static final int SHOWN = 10;

  @Option(names = "--show-all-ips", description = "Every address, with who uses it.")
  private boolean all;

  @Option(names = "--show-problem-ips", description = "Every finding, not only the first ones.")
  private boolean problems;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FILE",
      description =
          "Write a report for \"ipam release --from-report\", of this program or of calicoctl.")
  private @Nullable Path output;

  @Option(
      names = "--calicoctl-version",
      paramLabel = "VERSION",
      description =
          "The version of the calicoctl that is to accept the report, which must be its own; by"
              + " default the cluster's.")
  private @Nullable String calicoctlVersion;

  @Option(
      names = "--kubeconfig",
      paramLabel = "FILE",
      description = "For calicoctl's users: what is used is read from the datastore itself.")
  @Nullable Path kubeconfig;

  @Option(
      names = "--fix",
      description = "Repair what can be repaired without harm, whatever else happens meanwhile.")
  private boolean fix;

  IpamCheckCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    return withIpam(this::check);
  }

  private int check(Datastore datastore, Ipam ipam) {
    UsedAddresses used = UsedAddresses.of(datastore);
    IpamCheck.Report report = ipam.check().run(used.all());
    List<IpamFinding> repaired = fix ? repair(ipam, report) : List.of();
    List<IpamFinding> left = new ArrayList<>(report.findings());
    left.removeAll(repaired);
    ObjectNode document =
        CheckReport.write(
            ClusterState.of(datastore),
            report.assigned(),
            used,
            orphans(datastore, left),
            calicoctlVersion);
    if (output != null) {
      write(output, document);
    }
    if (json) {
      findings(document.putArray("findings"), report.findings(), repaired);
      print(document);
    } else {
      printResult(report, used, repaired, left);
    }
    return left.isEmpty() && used.disputed().isEmpty() ? 0 : 1;
  }

  private static List<IpamFinding> repair(Ipam ipam, IpamCheck.Report report) {
    return report.findings().stream()
        .filter(IpamFinding::isSafe)
        .filter(finding -> ipam.check().repair(finding))
        .toList();
  }

  private static Map<String, String> orphans(Datastore datastore, List<IpamFinding> findings) {
    Map<String, String> orphans = new LinkedHashMap<>();
    List<String> ids =
        findings.stream()
            .filter(finding -> finding.type() == IpamFinding.Type.ORPHAN_HANDLE)
            .flatMap(finding -> Stream.ofNullable(finding.handle()))
            .toList();
    if (!ids.isEmpty()) {
      for (Resource handle : datastore.list(ResourceQuery.of(Kind.IPAM_HANDLE)).items()) {
        String id = ((ResourceKey.Handle) handle.key()).id();
        if (ids.contains(id)) {
          orphans.put(id, handle.revision());
        }
      }
    }
    return orphans;
  }

  private static void write(Path file, ObjectNode document) {
    try {
      Files.writeString(file, Json.pretty(document) + "\n", StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new CommandException("%s cannot be written: %s".formatted(file, e), e);
    }
  }

  private static void findings(
      ArrayNode array, List<IpamFinding> findings, List<IpamFinding> repaired) {
    for (IpamFinding finding : findings) {
      array
          .addObject()
          .put("type", name(finding.type()))
          .put("subject", finding.subject())
          .put("explanation", finding.explanation())
          .put("safeToRepair", finding.isSafe())
          .put("repaired", repaired.contains(finding));
    }
  }

  private static String name(IpamFinding.Type type) {
    return type.name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private void printResult(
      IpamCheck.Report report,
      UsedAddresses used,
      List<IpamFinding> repaired,
      List<IpamFinding> left) {
    out()
        .println(
            "%d blocks, %d handles, %d addresses assigned%s, %d used by endpoints, tunnels and services"
                .formatted(
                    report.blocks(),
                    report.handles(),
                    report.assigned().size(),
                    report.coolingDown() == 0
                        ? ""
                        : ", %d in cooldown".formatted(report.coolingDown()),
                    used.all().size()));
    busiest(report.assigned());
    if (all) {
      for (AddressInfo info : report.assigned()) {
        List<String> owners = used.ownersOf(info.address());
        out()
            .println(
                "%s handle %s: %s"
                    .formatted(
                        info.address(),
                        info.handle(),
                        owners.isEmpty() ? "nobody" : String.join(", ", owners)));
      }
    }
    Map<IpamFinding.Type, List<IpamFinding>> byType =
        report.findings().stream()
            .collect(Collectors.groupingBy(IpamFinding::type, TreeMap::new, Collectors.toList()));
    byType.forEach((type, list) -> printResult(type, list, repaired));
    used.disputed()
        .forEach(
            (address, owners) ->
                out()
                    .println(
                        "several owners: address %s: %s all say they have it"
                            .formatted(address, String.join(", ", owners))));
    int disputed = used.disputed().size();
    out()
        .println(
            "Check complete; found %d problems%s."
                .formatted(
                    left.size() + disputed,
                    repaired.isEmpty() ? "" : ", repaired %d".formatted(repaired.size())));
  }

  private void printResult(
      IpamFinding.Type type, List<IpamFinding> findings, List<IpamFinding> repaired) {
    int shown = problems || all ? findings.size() : Math.min(SHOWN, findings.size());
    for (IpamFinding finding : findings.subList(0, shown)) {
      String what =
          repaired.contains(finding)
              ? " (repaired)"
              : finding.isSafe() ? " (--fix repairs it)" : "";
      out()
          .println(
              "%s: %s: %s%s".formatted(name(type), finding.subject(), finding.explanation(), what));
    }
    if (shown < findings.size()) {
      out()
          .println(
              "%s: %d more, see --show-problem-ips".formatted(name(type), findings.size() - shown));
    }
  }

  /** The nodes with the most addresses: outliers are worth a look. */
  private void busiest(List<AddressInfo> assigned) {
    Map<String, Long> counts =
        assigned.stream()
            .collect(
                Collectors.groupingBy(
                    info -> info.node().orElse("unknown"), TreeMap::new, Collectors.counting()));
    if (counts.size() > 1) {
      List<Long> sorted = counts.values().stream().sorted().toList();
      out()
          .println(
              "%d nodes have addresses: at most %d, the median %d"
                  .formatted(sorted.size(), sorted.getLast(), sorted.get(sorted.size() / 2)));
    }
  }
}
