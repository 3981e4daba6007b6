package io.ocicat.plugins;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.base.Deadline;
import io.ocicat.base.json.FieldAccessListener;
import io.ocicat.cni.CniException;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.exec.PluginReply;
import io.ocicat.cni.plugin.Delegation;
import io.ocicat.cni.plugin.Dispatcher;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.cni.plugin.PluginHost;
import io.ocicat.datastore.Datastores;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Compares the tables in {@code docs/plugins} with the code: each plugin is called with every verb,
 * and the members it reads must be those on its page.
 */
@Hosts
class ConfigurationTablesTest {
  private static final Path DOCS = Path.of("../docs");
  private static final Path COMMON = DOCS.resolve("reference/configuration.md");

  /** Members of results and of the delegate's error, which are separate documents. */
  private static final Pattern OF_ANSWERS =
      Pattern.compile("(interfaces|ips|routes|ip4|ip6|prevResult|code|msg|details)\\b.*");

  /** Arguments, and members that only the runtime may write. */
  private static final Pattern BROUGHT_BY_CALLS =
      Pattern.compile("(CNI_ARGS|args|runtimeConfig|cni\\.dev)\\b.*");

  /** Headings of tables that list members. */
  private static final Set<String> HEADS =
      Set.of("option", "member of `ipam`", "member beside it", "key of CNI_ARGS", "capability");

  /** Members that are lists of objects need an element, or nobody reads its members. */
  private static final Map<String, List<String>> SAMPLES =
      Map.of(
          "bridge",
          List.of("\"vlanTrunk\": [{\"id\": 7}]"),
          "host-local",
          List.of(
              "\"ipam\": {\"ranges\": [[{\"subnet\": \"10.1.0.0/24\"}]], \"routes\": [{\"dst\": \"0.0.0.0/0\"}], \"dataDir\": \"@dir\"}"),
          "static",
          List.of(
              "\"ipam\": {\"addresses\": [{\"address\": \"10.1.0.7/16\"}], \"routes\": [{\"dst\": \"0.0.0.0/0\"}]}"),
          "portmap",
          List.of(
              "\"runtimeConfig\": {\"portMappings\": [{\"hostPort\": 8080, \"containerPort\": 80}]}"),
          "ipam",
          List.of(
              "\"ipam\": {\"serverURL\": \"http://127.0.0.1:1\", \"token\": \"t\", \"retries\": 0, \"routes\": [{\"dst\": \"0.0.0.0/0\"}], \"dns\": {}}"),
          "flannel",
          List.of("\"subnetFile\": \"@dir/subnet.env\", \"dataDir\": \"@dir/flannel\""),
          "tuning",
          List.of("\"dataDir\": \"@dir/tuning\""),
          "calico",
          List.of(
              "\"ipam\": {\"type\": \"calico-ipam\"}, \"nodename\": \"node-1\", \"nodename_file_optional\": true",
              "\"ipam\": {\"type\": \"host-local\", \"subnet\": \"usePodCidr\", \"ranges\": [[{\"subnet\": \"usePodCidr\"}]], \"routes\": [{\"dst\": \"0.0.0.0/0\"}]}, \"nodename\": \"node-1\", \"nodename_file_optional\": true, \"args\": {\"org.apache.mesos\": {\"network_info\": {\"labels\": {\"labels\": [{\"key\": \"a\", \"value\": \"b\"}]}}}}"),
          "calico-ipam",
          List.of("\"ipam\": {}, \"nodename\": \"node-1\""));

  /** Members that a plugin replaces for a delegate that reads them. */
  private static final Map<String, Set<String>> REPLACED = Map.of("calico", Set.of("ipam.subnet"));

  @TempDir private Path directory;

  static Stream<String> plugins() {
    return Plugins.names().stream().filter(name -> !name.equals("loopback"));
  }

  @ParameterizedTest
  @MethodSource("plugins")
  void everyMemberThatIsReadIsInTheTableAndTheOtherWayRound(String plugin, Host host, Host pod)
      throws IOException {
    Set<String> asked = asked(plugin, host, pod);
    asked.addAll(REPLACED.getOrDefault(plugin, Set.of()));
    Page page = Page.read(DOCS.resolve("plugins/" + plugin + ".md"));
    Page common = Page.read(COMMON);

    assertThat(leaves(asked))
        .filteredOn(path -> !page.explains(path) && !common.explains(path))
        .as("what %s reads and neither docs/plugins/%s.md nor %s has", plugin, plugin, COMMON)
        .isEmpty();
    assertThat(page.members())
        .filteredOn(member -> asked.stream().noneMatch(path -> isMember(path, member)))
        .as("what docs/plugins/%s.md has and %s does not read", plugin, plugin)
        .isEmpty();
  }

  @Test
  void loopbackReadsNothingOfItsOwn(Host host, Host pod) throws IOException {
    Page common = Page.read(COMMON);
    assertThat(leaves(asked("loopback", host, pod)))
        .filteredOn(path -> !common.explains(path))
        .isEmpty();
  }

  /** Otherwise valid members would be reported as misspelt. */
  @ParameterizedTest
  @MethodSource("plugins")
  void whatAnyVerbReadsIsReadBeforehand(String plugin, Host host, Host pod) throws IOException {
    Set<String> reviewed = new TreeSet<>();
    for (String sample : samples(plugin)) {
      PluginConfig config =
          PluginConfig.ofRequest(
              "{\"cniVersion\": \"1.1.0\", \"name\": \"blue\", \"type\": \"%s\", %s}"
                  .formatted(plugin, sample)
                  .getBytes(UTF_8));
      FieldAccessListener.during(path -> reviewed.add(plain(path)), () -> review(plugin, config));
    }

    assertThat(leaves(asked(plugin, host, pod)))
        .filteredOn(path -> !BROUGHT_BY_CALLS.matcher(path).matches())
        .isSubsetOf(reviewed);
  }

  private static void review(String plugin, PluginConfig config) {
    try (Datastores datastores = new Datastores()) {
      PluginConfig again = PluginConfig.ofRequest(config.bytes());
      for (Delegation next : Plugins.named(plugin, datastores).orElseThrow().review(again)) {
        if (next.at().isEmpty()) {
          review(next.type(), next.config());
        }
      }
    } catch (CniException _) {
      // Samples are there to be read; not all of them make sense.
    }
  }

  private static boolean isMember(String path, String member) {
    return path.equals(member) || path.endsWith("." + member);
  }

  /** Those that are read for their own sake, not for something within. */
  private static Set<String> leaves(Set<String> asked) {
    Set<String> leaves = new TreeSet<>(asked);
    leaves.removeIf(path -> asked.stream().anyMatch(other -> other.startsWith(path + ".")));
    return leaves;
  }

  private Set<String> asked(String plugin, Host host, Host pod) throws IOException {
    Files.writeString(
        directory.resolve("subnet.env"),
        "FLANNEL_NETWORK=10.65.0.0/16\nFLANNEL_SUBNET=10.65.7.1/24\nFLANNEL_MTU=1450\nFLANNEL_IPMASQ=true\n");
    Set<String> asked = new TreeSet<>();
    for (String sample : samples(plugin)) {
      for (String verb : List.of("STATUS", "ADD", "CHECK", "DEL", "GC")) {
        String config =
            """
            {"cniVersion": "1.1.0", "name": "blue", "type": "%s", %s, "cni.dev/valid-attachments": [],
             "prevResult": {"cniVersion": "1.1.0", "interfaces": [{"name": "eth0", "sandbox": "%s"}],
              "ips": [{"address": "10.1.0.7/24", "interface": 0}]}}
            """
                .formatted(plugin, sample, pod.path());
        FieldAccessListener.during(
            path -> asked.add(plain(path)), () -> call(plugin, verb, host, pod, config));
      }
    }
    asked.removeIf(OF_ANSWERS.asMatchPredicate());
    return asked;
  }

  private List<String> samples(String plugin) {
    return SAMPLES.getOrDefault(plugin, List.of("\"mtu\": 0")).stream()
        .map(sample -> sample.replace("@dir", directory.toString()))
        .toList();
  }

  /** Without list indexes, and with a dot before names that contain dots themselves. */
  private static String plain(String path) {
    return path.replaceAll("\\[\\d+]", "")
        .replaceAll("\\[\"([^\"]+)\"]", ".$1")
        .replaceFirst("^\\.", "");
  }

  /**
   * The outcome does not matter: delegates are refused, so most calls fail after reading
   * everything.
   */
  private void call(String plugin, String verb, Host host, Host pod, String config) {
    PluginReply refused =
        new PluginReply(1, "{\"code\": 11, \"msg\": \"nobody is here\"}".getBytes(UTF_8), "");
    PluginHost here =
        new PluginHost(
            new Namespaces(host.path(), Map.of()),
            _ -> refused,
            Deadline.in(Duration.ofSeconds(5)),
            _ -> {});
    try (Datastores datastores = new Datastores()) {
      Dispatcher.dispatch(
          Plugins.named(plugin, datastores).orElseThrow(),
          here,
          Map.of(
              "CNI_COMMAND",
              verb,
              "CNI_CONTAINERID",
              "c1",
              "CNI_IFNAME",
              "eth0",
              "CNI_NETNS",
              pod.path().toString(),
              "CNI_PATH",
              "/usr/lib/cni",
              "OCICAT_STATE_DIR",
              directory.resolve("state").toString()),
          config.getBytes(UTF_8));
    }
  }

  /**
   * A page's tables of members.
   *
   * @param members what their first columns name
   * @param words everything that is named in their rows, members of members among it
   */
  private record Page(Set<String> members, Set<String> words) {
    private static final Pattern NAME = Pattern.compile("`(?:CNI_ARGS` `)?([A-Za-z][\\w./-]*)`");
    private static final Pattern WORD = Pattern.compile("[`\"]([A-Za-z][\\w./-]*)[`\"]");

    static Page read(Path file) throws IOException {
      Set<String> members = new TreeSet<>();
      Set<String> words = new TreeSet<>();
      boolean inTable = false;
      String before = "";
      for (String line : Files.readAllLines(file)) {
        List<String> cells = List.of(line.split("(?<!\\\\)\\|", -1));
        if (line.startsWith("|---")) {
          inTable = HEADS.contains(before);
        } else if (!line.startsWith("|")) {
          inTable = false;
        } else if (inTable) {
          NAME.matcher(cells.get(1)).results().forEach(found -> members.add(found.group(1)));
          WORD.matcher(line).results().forEach(found -> words.add(found.group(1)));
        }
        before = cells.size() > 1 ? cells.get(1).strip() : "";
      }
      members.removeIf(Predicate.isEqual("CNI_ARGS"));
      return new Page(members, words);
    }

    boolean explains(String path) {
      return words.stream().anyMatch(word -> isMember(path, word));
    }
  }
}
