package io.ocicat.cli.inspect;

import io.ocicat.cli.CacheDirOption;
import io.ocicat.cli.ConfDirOption;
import io.ocicat.cli.Site;
import io.ocicat.cni.json.Json;
import io.ocicat.cni.runtime.Cni;
import io.ocicat.daemon.trace.Cause;
import java.io.PrintWriter;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** {@code ocicat why}: why a pod has no address, or what happened to it. */
@Command(
    name = "why",
    description = "Say why a pod or container has no network, and what to do.",
    mixinStandardHelpOptions = true,
    footer = {"", "Example: ocicat why default/web"},
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing is wrong with it",
      "1:something is wrong, or nothing is known of it",
      "2:the command line makes no sense; nothing was done"
    })
public final class WhyCommand implements Callable<Integer> {
  private final Site site;

  @Spec private CommandSpec spec = CommandSpec.create();

  @Parameters(
      paramLabel = "CONTAINER|POD",
      description = "A container's id or the beginning of it, or a pod (name or namespace/name).")
  private String about = "";

  @Option(names = "--json", description = "Print JSON.")
  private boolean json;

  @Mixin private ConfDirOption conf = new ConfDirOption();
  @Mixin private CacheDirOption cache = new CacheDirOption();

  public WhyCommand(Site site) {
    this.site = site;
  }

  @Override
  public Integer call() {
    if (about.isBlank()) {
      throw new ParameterException(spec.commandLine(), "a container or pod must be named");
    }
    Cni cni =
        Cni.builder().confDirectory(conf.directory()).cacheDirectory(cache.directory()).build();
    Evidence evidence = Evidence.gather(site, cni, about);
    List<Story> stories = new Diagnosis(evidence).stories();
    if (stories.isEmpty()) {
      stories = List.of(nothing(evidence));
    }
    // A runtime that fails tries again with another container: the last one counts.
    String newest = stories.getFirst().containerId();
    List<Story> current = stories.stream().filter(s -> s.containerId().equals(newest)).toList();
    List<Story> earlier = stories.stream().filter(s -> !s.containerId().equals(newest)).toList();
    print(evidence, current, earlier);
    return current.stream().allMatch(story -> story.verdict().isFine()) ? 0 : 1;
  }

  private Story nothing(Evidence evidence) {
    boolean waits = evidence.daemon().underWay().stream().anyMatch(id -> id.startsWith(about));
    boolean answers = evidence.daemon().answers();
    Verdict verdict =
        waits ? Verdict.UNDER_WAY : answers ? Verdict.NEVER_ASKED : Verdict.DAEMON_DOWN;
    String sentence =
        waits
            ? "its first call waits for its turn"
            : "%s, and there is no attachment: neither a record in %s nor one of its runtime's in %s, nor a lease"
                .formatted(
                    answers ? "ocicatd remembers no call for it" : "ocicatd cannot be asked",
                    site.folders().state(),
                    cache.directory());
    return new Story(
        about,
        "",
        "",
        "",
        verdict,
        Cause.NONE,
        List.of(sentence),
        verdict.advice(answers),
        Instant.EPOCH);
  }

  private void print(Evidence evidence, List<Story> current, List<Story> earlier) {
    PrintWriter out = spec.commandLine().getOut();
    String silence = evidence.daemon().silence();
    if (json) {
      ObjectNode document = Json.object();
      document.put("daemonAnswers", evidence.daemon().answers());
      document.put("daemonSilence", silence);
      document.set("obstacles", Json.array(evidence.obstacles()));
      ArrayNode now = document.putArray("attachments");
      current.forEach(story -> now.add(story.toJson()));
      ArrayNode before = document.putArray("earlier");
      earlier.forEach(story -> before.add(story.toJson()));
      out.println(Json.pretty(document));
      out.flush();
      return;
    }
    if (!silence.isEmpty()) {
      out.println(silence);
      out.println("this is what files and the kernel tell, without what failed calls have said");
    }
    evidence.obstacles().forEach(why -> out.println("not everything could be looked at: " + why));
    current.forEach(story -> story.print(out));
    if (!earlier.isEmpty()) {
      out.println();
      out.println("earlier containers:");
      earlier.forEach(story -> story.print(out));
    }
  }
}
