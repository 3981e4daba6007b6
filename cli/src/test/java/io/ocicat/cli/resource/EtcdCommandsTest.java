package io.ocicat.cli.resource;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.cli.DatastoreShell;
import io.ocicat.cli.Shell.Printed;
import io.ocicat.testkit.Etcd;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The same commands against etcd, found by variables and by calicoctl's file. */
class EtcdCommandsTest {
  @TempDir Path directory;

  @Test
  void everyVerbWorks() throws IOException {
    try (Etcd etcd = new Etcd().start()) {
      DatastoreShell shell = DatastoreShell.etcd(etcd.url());
      String pool =
          "{apiVersion: projectcalico.org/v3, kind: IPPool, metadata: {name: blue}, spec: {cidr: 10.65.0.0/16}}";
      assertThat(shell.runWith(pool, "create", "-f", "-"))
          .isEqualTo(new Printed(0, "Successfully created 1 'IPPool' resource(s)\n", ""));
      assertThat(shell.runWith(pool, "apply", "-f", "-").exitCode()).isZero();
      assertThat(shell.runWith(pool, "replace", "-f", "-").exitCode()).isZero();
      assertThat(shell.run("label", "ippool", "blue", "a=b").exitCode()).isZero();
      assertThat(shell.run("patch", "ippool", "blue", "-p", "spec: {disabled: true}").exitCode())
          .isZero();

      Path file = directory.resolve("calicoctl.cfg");
      Files.writeString(
          file,
          """
          apiVersion: projectcalico.org/v3
          kind: CalicoAPIConfig
          metadata: {}
          spec: {datastoreType: etcdv3, etcdEndpoints: "%s"}
          """
              .formatted(etcd.url()));
      DatastoreShell byFile = DatastoreShell.embedded(directory.resolve("unused"));
      assertThat(
              byFile
                  .run(
                      "get",
                      "ippool",
                      "blue",
                      "--config",
                      file.toString(),
                      "-o",
                      "jsonpath={.metadata.labels.a} {.spec.disabled}")
                  .out())
          .isEqualTo("b true\n");
      assertThat(shell.run("delete", "ippool", "blue").exitCode()).isZero();
      assertThat(shell.run("get", "ippool")).isEqualTo(new Printed(0, "", "no IPPool found\n"));
    }
  }
}
