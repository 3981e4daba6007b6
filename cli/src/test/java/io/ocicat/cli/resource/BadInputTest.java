package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.testkit.Command;
import io.ocicat.testkit.Etcd;
import io.ocicat.testkit.Loopback;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Users' mistakes: one line each that says what to change, and nothing is written. */
class BadInputTest {
  private static final String GOOD =
      "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: good}, spec: {cidr: 10.1.0.0/16}}\n---\n";

  @TempDir Path directory;
  private DatastoreShell shell = DatastoreShell.embedded(Path.of("/nonexistent"));

  @BeforeEach
  void open() {
    shell = DatastoreShell.embedded(directory.resolve("state"));
  }

  /** After a valid document, of which nothing may be left. */
  private void assertRefused(String document, String... parts) {
    Printed printed = shell.runWith(GOOD + document, "apply", "-f", "-");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.out()).isEmpty();
    assertThat(printed.err().lines().findFirst().orElse(""))
        .startsWith("ocicat: stdin: document 2: ")
        .contains(parts);
    assertThat(printed.err()).doesNotContain("\tat ");
    assertThat(shell.run("get", "ippool")).isEqualTo(new Printed(0, "", "no IPPool found\n"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{apiVersion: projectcalico.org/v3, kind: IPPol, metadata: {name: x}} | kind \"IPPol\" is not known",
        "{apiVersion: v1, kind: IPPool, metadata: {name: x}} | apiVersion of IPPool must be projectcalico.org/v3, not \"v1\"",
        "{apiVersion: projectcalico.org/v3, kind: IPPool} | IPPool has no metadata",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {}} | IPPool needs a name",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x}, spec: {cidr: 10.0.0.0/33}} | spec.cidr",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x}, spec: {cidr: 10.1.2.0/24}} | spec.cidr 10.1.2.0/24 overlaps 10.1.0.0/16 of pool good",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x}, spec: {cidr: 10.2.0.0/16, natOutgoing: maybe}} | spec.natOutgoing must be true or false",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x}, spec: {cidr: 10.2.0.0/16, natOutgoin: true}} | IPPool x has no field spec.natOutgoin",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x}, spec: {cidr: 10.2.0.0/16, nodeSelector: 'rack = a'}} | spec.nodeSelector",
        "{apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: x}, spec: {selector: 'has('}} | spec.selector",
        "{apiVersion: projectcalico.org/v3, kind: GlobalNetworkPolicy, metadata: {name: x}, spec: {tier: none}} | spec.tier none does not exist",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: Good_Name}, spec: {cidr: 10.2.0.0/16}} | metadata.name",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: good}, spec: {cidr: 10.2.0.0/16}} | IPPool good is in stdin: document 1 already",
        "{apiVersion: projectcalico.org/v3, kind: ClusterInformation, metadata: {name: default}} | cannot be applied by hand",
        "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: x, namespace: y}, spec: {cidr: 10.2.0.0/16}} | IPPool has no namespace",
        "{apiVersion: projectcalico.org/v3, kind: IPPol, metadata: {name: x}} | kind \"IPPol\" is not known: did you mean IPPool?",
        "just text | not a resource"
      })
  void documentsThatAreWrong(String document, String part) {
    assertRefused(document, part);
  }

  /** Review U14: in the format of compilers, so that editors find the place. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{a: 1, a: 2} | ocicat: stdin:3:8: not valid YAML: \"a\" comes twice",
        "{a: | ocicat: stdin:4:1: not valid YAML: "
      })
  void whatIsNotYamlIsFoundByLineAndColumn(String document, String message) {
    Printed printed = shell.runWith(GOOD + document + "\n", "apply", "-f", "-");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).startsWith(message).hasLineCount(1);
  }

  @Test
  void everyErrorIsReportedAtOnce() {
    Printed printed =
        shell.runWith(
            GOOD
                + "{apiVersion: v1, kind: IPPool, metadata: {name: a}}\n---\n"
                + "{apiVersion: v1, kind: Tier, metadata: {name: b}}\n",
            "apply",
            "-f",
            "-");
    assertThat(printed.err()).hasLineCount(2).contains("document 2").contains("document 3");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "apply -f /nonexistent.yaml | ocicat: /nonexistent.yaml: there is no such file or directory",
        "get ippool -c /nonexistent.cfg | ocicat: /nonexistent.cfg: there is no such file",
        "patch ippool x -p {} | ocicat: IPPool x does not exist",
        "patch ippool x -p [ | ocicat: the patch cannot be read"
      })
  void commandsThatAreWrong(String line, String message) {
    Printed printed = shell.run(line.split(" ", -1));
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).startsWith(message).hasLineCount(1);
  }

  /** Review U18, U24: what the help promises. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "get frobs | there is no kind \"frobs\": use one of",
        "get IPPol | there is no kind \"IPPol\": did you mean ippool?",
        "get ippool -n shop | IPPool has no namespace: leave out -n",
        "get ippool -A | IPPool has no namespace: leave out -A",
        "get ippool -o yamll | -o must be ps, wide, yaml",
        "get ippool -o go-template={{.}} | -o go-template is not supported: use jsonpath",
        "get ippool -o jsonpath={.items[ | is not a ",
        "get ippool -l a=b | -l \"a=b\" is not a selector",
        "get | say which kind is meant",
        "ipam configure --strictaffinity maybe | --strictaffinity must be true or false, not \"maybe\"",
        "ipam configure --kubevirt-ip-persistence maybe | --kubevirt-ip-persistence must be",
        "ipam show --ip=1.2.3 | \"1.2.3\" is not an IP address",
        "apply | say with -f where the documents are",
        "get wep x -A | with -A no name makes sense",
        "patch ippool x -p {} -t wild | --type must be strategic, merge or json, not \"wild\"",
        "label ippool x nonsense | a label is KEY=VALUE",
        "delete ippool | say which IPPool is to be deleted"
      })
  void misuseEndsWith2(String line, String message) {
    Printed printed = shell.run(line.split(" ", -1));
    assertThat(printed.exitCode()).isEqualTo(2);
    assertThat(printed.err()).contains(message).hasLineCount(1);
  }

  /** Review U24. */
  @Test
  void aStateDirectoryThatIsAFileIsNamed() throws IOException {
    Path file = Files.createFile(directory.resolve("file"));
    assertThat(DatastoreShell.embedded(file).run("get", "ippool").err())
        .isEqualTo(
            "ocicat: datastore %1$s/datastore.db cannot be opened: %1$s is not a directory: correct OCICAT_STATE_DIR\n"
                .formatted(file));
  }

  @Test
  void emptyInputIsAnErrorUnlessItIsAllowed() {
    assertThat(shell.runWith("# nothing\n", "apply", "-f", "-").err())
        .isEqualTo("ocicat: -: no resource in it; --skip-empty if that is right\n");
    assertThat(shell.runWith("", "apply", "--skip-empty", "-f", "-").exitCode()).isZero();
  }

  @Test
  void aConfigurationFileIsReadStrictly() throws IOException {
    Path file = directory.resolve("calicoctl.cfg");
    Files.writeString(
        file,
        """
        apiVersion: projectcalico.org/v3
        kind: CalicoAPIConfig
        spec: {datastoreType: etcdv3, etcdEndpoint: "http://127.0.0.1:1"}
        """);
    Printed printed = shell.run("get", "ippool", "--config", file.toString());
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err())
        .startsWith("ocicat: " + file + ": ")
        .contains("spec.etcdEndpoint is not known")
        .hasLineCount(1);
  }

  @Test
  void aServerThatCannotBeReachedIsNamed() {
    String url = "http://127.0.0.1:" + Loopback.freePort();
    Printed printed = DatastoreShell.etcd(url).runWith(GOOD, "apply", "-f", "-");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err()).startsWith("ocicat: ").contains(url).hasLineCount(1);
  }

  @Test
  void aServerThatRefusesUsIsNamed() {
    try (Etcd etcd = new Etcd("--bcrypt-cost", "4").start()) {
      etcd.post("auth/user/add", "{\"name\":\"root\",\"password\":\"secret\"}");
      etcd.post("auth/user/grant", "{\"user\":\"root\",\"role\":\"root\"}");
      etcd.post("auth/enable", "{}");
      Printed nobody = DatastoreShell.etcd(etcd.url()).runWith(GOOD, "apply", "-f", "-");
      assertThat(nobody.exitCode()).isEqualTo(1);
      assertThat(nobody.err()).startsWith("ocicat: ").contains(etcd.url()).hasLineCount(1);
      Printed wrong =
          DatastoreShell.etcd(etcd.url())
              .with("ETCD_USERNAME", "root")
              .with("ETCD_PASSWORD", "guess")
              .run("get", "ippool");
      assertThat(wrong.exitCode()).isEqualTo(1);
      assertThat(wrong.err()).startsWith("ocicat: ").doesNotContain("guess").hasLineCount(1);
    }
  }

  @Test
  void anExpiredCertificateIsNamed() {
    Command.of(
            Path.of(System.getProperty("java.home"), "bin/keytool").toString(),
            "-genkeypair",
            "-alias",
            "old",
            "-keyalg",
            "EC",
            "-dname",
            "CN=old",
            "-startdate",
            "2020/01/01 00:00:00",
            "-validity",
            "10",
            "-keystore",
            "old.p12",
            "-storepass",
            "changeit")
        .in(directory)
        .run();
    openssl("pkcs12", "-in", "old.p12", "-passin", "pass:changeit", "-nokeys", "-out", "old.crt");
    openssl(
        "pkcs12",
        "-in",
        "old.p12",
        "-passin",
        "pass:changeit",
        "-nocerts",
        "-nodes",
        "-out",
        "old.key");
    Printed printed =
        DatastoreShell.etcd("https://127.0.0.1:1")
            .with("ETCD_CERT_FILE", directory.resolve("old.crt").toString())
            .with("ETCD_KEY_FILE", directory.resolve("old.key").toString())
            .with("ETCD_CA_CERT_FILE", directory.resolve("old.crt").toString())
            .runWith(GOOD, "apply", "-f", "-");
    assertThat(printed.exitCode()).isEqualTo(1);
    assertThat(printed.err())
        .startsWith("ocicat: ")
        .contains("old.crt")
        .contains("has expired on 2020-01-1")
        .hasLineCount(1);
  }

  private void openssl(String... arguments) {
    String[] argv = new String[arguments.length + 1];
    argv[0] = "openssl";
    System.arraycopy(arguments, 0, argv, 1, arguments.length);
    Command.of(argv).in(directory).run();
  }
}
