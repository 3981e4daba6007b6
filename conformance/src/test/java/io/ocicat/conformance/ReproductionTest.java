package io.ocicat.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.conformance.check.CheckVerdict;
import io.ocicat.conformance.subject.PluginKind;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The commands of a failed check, pasted into a shell, repeat it and clean up. */
class ReproductionTest {
  @ParameterizedTest
  @CsvSource(
      textBlock =
          """
          interface, del-not-idempotent, del.twice, no such interface
          interface, takes-existing, add.name-taken, \"sandbox\"
          interface, forgets-ipam-at-failure, delegation.del-after-failure, cannot add a route
          chained, drops-prev-result, chain.result-handed-on, \"cniVersion\":\"1.1.0\"}
          ipam, wrong-code, names.container-id-with-bad-utf-8, invalid characters in containerID
          ipam, wrong-code, names.interface-with-tab, whitespace characters
          ipam, wrong-code, verb.line-break, unknown CNI_COMMAND: ADD\\n
          ipam, wrong-code, stdin.closed, error
          ipam, any-override, netns.override-off, 10.77.0.2/24
          """)
  void doesTheSameAgain(String kind, String defect, String check, String answer) {
    CheckVerdict verdict =
        Exemplar.check(PluginKind.find(kind).orElseThrow(), defect, check)
            .findings()
            .getFirst()
            .verdict();

    assertThat(verdict).isInstanceOf(CheckVerdict.Failed.class);
    List<String> commands = ((CheckVerdict.Failed) verdict).reproduction();
    Output again = Command.of("sh", "-c", String.join("\n", commands)).attempt();
    assertThat(commands).anyMatch(line -> line.startsWith("# ") && line.contains(answer));
    assertThat(again.stdout()).contains(answer);
    assertThat(again.exitCode()).isZero();
    assertThat(traces(commands)).noneMatch(Files::exists);
  }

  /** The namespaces and the directory that the commands made. */
  private static List<Path> traces(List<String> commands) {
    List<Path> traces =
        commands.stream()
            .filter(line -> line.startsWith("ip netns add ") || line.startsWith("mkdir "))
            .map(
                line -> line.startsWith("mkdir ") ? line.split(" ", -1)[2] : line.split(" ", -1)[3])
            .map(name -> Path.of("/run/netns").resolve(name))
            .toList();
    assertThat(traces).hasSizeGreaterThan(2);
    return traces;
  }
}
