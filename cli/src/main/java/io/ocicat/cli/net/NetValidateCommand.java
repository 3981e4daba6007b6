package io.ocicat.cli.net;

import io.ocicat.base.json.Json;
import io.ocicat.cli.options.CniOptions;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.cni.runtime.ConfListing;
import io.ocicat.cni.runtime.ConfProblem;
import io.ocicat.cni.runtime.Network;
import io.ocicat.cni.runtime.NetworkFile;
import io.ocicat.cni.runtime.Validation;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * {@code ocicat net validate}: checks whether networks can work, without touching any. Names the
 * file, the field and the reason of everything that is wrong, all at once.
 */
@Command(
    name = "validate",
    description = {
      "Say everything that is wrong with a network, or with all.",
      "That is files, versions, and for plugins of ours each field, as ADD would read it, and fields that nobody reads."
    },
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat net validate blue --conf-dir /etc/cni/net.d"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong; there may be warnings",
      "1:something is wrong",
      "2:the command line is invalid; nothing was done"
    })
final class NetValidateCommand implements Callable<Integer> {
  private final NetSettings settings;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CniOptions options = new CniOptions();

  @Parameters(
      paramLabel = "NETWORK",
      arity = "0..1",
      description = "The network's name; without it, every file.")
  private @Nullable String network;

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  NetValidateCommand(NetSettings settings) {
    this.settings = settings;
  }

  /** One network, and the findings. */
  private record Judged(Network network, Validation validation) {}

  @Override
  public Integer call() {
    PrintWriter out = spec.commandLine().getOut();
    PrintWriter err = spec.commandLine().getErr();
    Cni cni = settings.cni(options, err, settings.messages(err));
    List<Judged> judged = new ArrayList<>();
    List<ConfProblem> unusable = List.of();
    if (network != null) {
      judged.add(judge(cni.network(network)));
    } else {
      ConfListing listing = settings.networks(options, cni);
      unusable = listing.problems();
      for (NetworkFile file : listing.networks()) {
        judged.add(judge(cni.network(file)));
      }
    }
    if (json) {
      out.println(Json.pretty(toJson(judged, unusable)));
    } else {
      print(out, judged, unusable);
    }
    boolean valid =
        unusable.isEmpty() && judged.stream().allMatch(one -> one.validation().isValid());
    return valid ? 0 : 1;
  }

  private Judged judge(Network network) {
    return new Judged(network, network.validate(settings.plugins()));
  }

  private static void print(PrintWriter out, List<Judged> judged, List<ConfProblem> unusable) {
    for (Judged one : judged) {
      Validation validation = one.validation();
      String capabilities =
          validation.capabilities().isEmpty()
              ? ""
              : ", capabilities " + String.join(" ", validation.capabilities());
      out.println(
          one.network().name()
              + ": "
              + (validation.isValid() ? "valid" : "not valid")
              + capabilities);
      validation.problems().forEach(problem -> out.println("  error    " + problem));
      validation.warnings().forEach(warning -> out.println("  warning  " + warning));
    }
    unusable.forEach(problem -> out.println("error    " + problem));
  }

  private static ObjectNode toJson(List<Judged> judged, List<ConfProblem> unusable) {
    ObjectNode json = Json.object();
    ArrayNode networks = json.putArray("networks");
    for (Judged one : judged) {
      ObjectNode entry = networks.addObject();
      entry.put("name", one.network().name());
      entry.put("valid", one.validation().isValid());
      entry.set("capabilities", Json.array(one.validation().capabilities()));
      findings(entry.putArray("problems"), one.validation().problems());
      findings(entry.putArray("warnings"), one.validation().warnings());
    }
    ArrayNode files = json.putArray("unusable");
    for (ConfProblem problem : unusable) {
      ObjectNode entry = files.addObject();
      entry.put("file", problem.file().toString());
      entry.put("position", problem.position());
      entry.put("path", problem.path());
      entry.put("reason", problem.reason());
    }
    return json;
  }

  private static void findings(ArrayNode into, List<Validation.Finding> findings) {
    for (Validation.Finding finding : findings) {
      ObjectNode entry = into.addObject();
      entry.put("file", finding.file() == null ? "" : finding.file().toString());
      entry.put("path", finding.path());
      entry.put("code", finding.code().value());
      entry.put("reason", finding.reason());
    }
  }
}
