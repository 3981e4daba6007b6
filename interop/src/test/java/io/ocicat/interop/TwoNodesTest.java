package io.ocicat.interop;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.testkit.Command;
import io.ocicat.testkit.Host;
import io.ocicat.testkit.Hosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Review U4: what docs/kubelet.md sets up on two nodes, with the page's own lines. */
@Hosts
class TwoNodesTest {
  private static final Path PAGE = Path.of("../docs/kubelet.md");

  /** A row of the table: node, its address, its pods' range, the other node's route to them. */
  private static final Pattern NODE =
      Pattern.compile("\\| node-\\d \\| ([0-9.]+) \\| ([0-9./]+) \\| `(ip route add [^`]+)` \\|");

  private static final Pattern CONFLIST =
      Pattern.compile("10-pods.conflist <<END\n(.*?)END\n", Pattern.DOTALL);
  private static final Pattern RULES =
      Pattern.compile("nft -f - <<END\n(.*?)END\n", Pattern.DOTALL);

  @TempDir private Path directory;
  private Path distribution;

  @BeforeEach
  void install() throws IOException {
    distribution = PluginDirectory.withShims(directory);
  }

  @Test
  void podsOfTwoNodesReachEachOtherWithTheirOwnAddresses(Host one, Host two, Host web, Host db)
      throws IOException {
    String page = Files.readString(PAGE);
    List<MatchResult> nodes = NODE.matcher(page).results().toList();
    assertThat(nodes).hasSize(2);
    one.connect(two, nodes.get(0).group(1) + "/24", nodes.get(1).group(1) + "/24");
    two.exec(nodes.get(0).group(3).split(" "));
    one.exec(nodes.get(1).group(3).split(" "));

    String first = attach(one, web, page, nodes.get(0).group(2));
    String second = attach(two, db, page, nodes.get(1).group(2));

    assertThat(first).isNotEqualTo(second);
    // With its own address or not at all.
    db.exec(
        "nft",
        ("add table ip strict; add chain ip strict input { type filter hook input priority 0; };"
                + " add rule ip strict input ip saddr != %s drop")
            .formatted(first));
    web.exec("ping", "-c1", "-W10", second);
  }

  /** The address that the page's network gives on a node. */
  private String attach(Host node, Host pod, String page, String range) throws IOException {
    Path folder = Files.createDirectories(directory.resolve(node.name()));
    Files.writeString(folder.resolve("10-pods.conflist"), block(CONFLIST, page, range));
    Files.writeString(folder.resolve("rules.nft"), block(RULES, page, range));
    node.exec("nft", "-f", folder.resolve("rules.nft").toString());
    Command add =
        node.command(
            "unshare",
            "--mount",
            "sh",
            "-c",
            "mount -t tmpfs none /var/lib && exec \"$@\"",
            "sh",
            distribution.resolve("bin/ocicat").toString(),
            "net",
            "add",
            "pods",
            pod.path().toString());
    return add.env("NETCONFPATH", folder.toString())
        .env("CNI_PATH", distribution.resolve("cni").toString())
        .env("OCICAT_RUN_DIR", folder.resolve("run").toString())
        .env("OCICAT_STATE_DIR", folder.resolve("state").toString())
        .limit(Duration.ofMinutes(2))
        .run()
        .json()
        .at("/ips/0/address")
        .asString()
        .replaceFirst("/.*", "");
  }

  private static String block(Pattern pattern, String page, String range) {
    return pattern
        .matcher(page)
        .results()
        .findFirst()
        .orElseThrow()
        .group(1)
        .replace("$pods", range);
  }
}
