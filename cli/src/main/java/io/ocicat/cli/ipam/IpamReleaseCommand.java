package io.ocicat.cli.ipam;

import io.ocicat.base.json.Json;
import io.ocicat.cli.resource.CommandContext;
import io.ocicat.cli.resource.CommandException;
import io.ocicat.datastore.Datastore;
import io.ocicat.datastore.error.ConflictException;
import io.ocicat.datastore.error.NotFoundException;
import io.ocicat.datastore.resource.ResourceKey;
import io.ocicat.ip.IpAddress;
import io.ocicat.ipam.Ipam;
import io.ocicat.ipam.model.AddressInfo;
import io.ocicat.ipam.model.ReleaseRequest;
import io.ocicat.ipam.model.ReleaseResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** {@code ocicat ipam release}: releases addresses by hand. */
@Command(
    name = "release",
    description = "Release an address, or all that reports of \"check -o\" call leaked.",
    footer = {
      "",
      "An address is released only as it was read: when somebody gets it meanwhile, it stays.",
      "Of reports, what all of them call leaked; the datastore must be locked since they were made.",
      "",
      "Example: ocicat ipam release --ip 10.65.0.7"
    })
final class IpamReleaseCommand extends IpamCommandContext {
  @Option(names = "--ip", paramLabel = "IP", description = "The address to release.")
  private @Nullable String ip;

  @Option(
      names = "--from-report",
      paramLabel = "FILE",
      description = "A report of \"ocicat ipam check -o\"; may be repeated.")
  private List<Path> reports = List.of();

  @Option(
      names = "--force",
      description =
          "Release an address that an endpoint has, accept reports of another version, and do it"
              + " without locking the datastore.")
  private boolean force;

  IpamReleaseCommand(CommandContext context) {
    super(context);
  }

  @Override
  protected int run() {
    String address = ip;
    if (!reports.isEmpty()) {
      List<CheckReport> read = reports.stream().map(CheckReport::read).toList();
      return withIpam((datastore, ipam) -> release(datastore, ipam, read));
    }
    if (address == null) {
      throw new ParameterException(spec.commandLine(), "say what: --ip or --from-report");
    }
    return withIpam((datastore, ipam) -> release(datastore, ipam, address(address)));
  }

  private int release(Datastore datastore, Ipam ipam, IpAddress address) {
    AddressInfo info =
        IpamShowCommand.info(ipam, address)
            .orElseThrow(
                () -> new CommandException("IP address %s is not assigned".formatted(address)));
    List<String> owners = UsedAddresses.of(datastore).ownersOf(address);
    if (!owners.isEmpty() && !force) {
      throw new CommandException(
          "IP address %s is used by %s: delete that first, or use --force"
              .formatted(address, String.join(", ", owners)));
    }
    ipam.release(List.of(ReleaseRequest.of(info))).orThrow();
    if (json) {
      print(Json.object().set("released", Json.array(List.of(address.toString()))));
    } else {
      out().println("Successfully released IP address " + address);
    }
    return 0;
  }

  private int release(Datastore datastore, Ipam ipam, List<CheckReport> read) {
    requireFresh(ClusterState.of(datastore), read);
    Map<IpAddress, CheckReport.Leaked> leaked = new LinkedHashMap<>(read.getLast().leaked());
    Map<String, String> handles = new LinkedHashMap<>(read.getLast().handles());
    for (CheckReport report : read) {
      leaked.keySet().retainAll(report.leaked().keySet());
      handles.entrySet().retainAll(report.handles().entrySet());
    }
    ReleaseResult released =
        ipam.release(
            leaked.values().stream()
                .map(
                    it ->
                        new ReleaseRequest(
                            it.address(),
                            it.handle().orElse(null),
                            it.sequenceNumber().orElse(null)))
                .toList());
    List<String> deleted = new ArrayList<>();
    List<String> skipped = new ArrayList<>();
    handles.forEach(
        (id, revision) -> (delete(datastore, id, revision) ? deleted : skipped).add(id));
    released.refused().forEach(e -> err().println("ocicat: " + oneLine("" + e.getMessage())));
    if (json) {
      var document = Json.object();
      document.set(
          "released", Json.array(released.released().stream().map(IpAddress::toString).toList()));
      document.set("deletedHandles", Json.array(deleted));
      document.set("skippedHandles", Json.array(skipped));
      print(document);
    } else {
      out()
          .println(
              "Released %d addresses (%d were free already, %d blocks refused) and %d handles (%d had changed)."
                  .formatted(
                      released.released().size(),
                      released.notAssigned().size(),
                      released.refused().size(),
                      deleted.size(),
                      skipped.size()));
      out().println("You may now unlock the datastore: ocicat datastore unlock");
    }
    return released.refused().isEmpty() ? 0 : 1;
  }

  private void requireFresh(ClusterState cluster, List<CheckReport> read) {
    for (CheckReport report : read) {
      if (!report.clusterGuid().equals(cluster.guid())) {
        throw new CommandException(
            "the report is of another cluster: its clusterGUID is \"%s\", not \"%s\""
                .formatted(report.clusterGuid(), cluster.guid()));
      }
      if (!report.ours() && !force) {
        throw new CommandException(
            "the report is by version \"%s\": make one with \"ocicat ipam check -o\", or use --force"
                .formatted(report.version()));
      }
    }
    if (read.stream().noneMatch(report -> report.revision().equals(cluster.revision()))) {
      throw new CommandException(
          "the reports are stale: ClusterInformation has changed since, so others may have been at"
              + " work; lock the datastore, then check again");
    }
    if (!cluster.locked() && !force) {
      throw new CommandException(
          "the datastore is not locked: \"ocicat datastore lock\" first, then check again, or use"
              + " --force");
    }
  }

  /** Only if it has not changed since the report was made. */
  private static boolean delete(Datastore datastore, String id, String revision) {
    try {
      datastore.delete(new ResourceKey.Handle(id), revision);
      return true;
    } catch (NotFoundException | ConflictException _) {
      return false;
    }
  }
}
