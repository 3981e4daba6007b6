package io.ocicat.datastore.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.ocicat.datastore.json.Json;
import io.ocicat.datastore.kubernetes.mapping.CustomLayout;
import io.ocicat.datastore.kv.CalicoLayout;
import io.ocicat.datastore.kv.KeyValue;
import io.ocicat.datastore.model.ApiGroup;
import io.ocicat.datastore.model.Crds;
import io.ocicat.datastore.model.ResourceAdmission;
import io.ocicat.datastore.resource.Kind;
import io.ocicat.datastore.resource.Resource;
import io.ocicat.datastore.resource.ResourceKey;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import tools.jackson.databind.node.ObjectNode;

/**
 * Custom resources of every kind in both groups, member by member as Calico writes them, beside the
 * same resource in etcd's encoding. They were not made by the code under test.
 */
class GoldenCustomResourcesTest {
  private static final Set<Kind> NOT_CUSTOM =
      EnumSet.of(Kind.WORKLOAD_ENDPOINT, Kind.PROFILE, Kind.NODE, Kind.IPAM_HOST);

  /** Where it is and what, in the API and in etcd: a line each. */
  record Golden(ApiGroup group, String name, String path, String custom, String key, String value) {
    Resource inEtcd() {
      ResourceKey parsed = CalicoLayout.parse(key).orElseThrow();
      return ResourceAdmission.asRead(
          CalicoLayout.decode(parsed, new KeyValue(key, value, 7, 7, 0)));
    }

    CustomLayout layout() {
      return new CustomLayout(group);
    }

    @Override
    public String toString() {
      return group + " " + name;
    }
  }

  static List<Golden> documents() throws IOException, URISyntaxException {
    List<Golden> all = new ArrayList<>();
    for (ApiGroup group : ApiGroup.values()) {
      String directory = "golden/" + group.name().toLowerCase(Locale.ROOT);
      Path path =
          Path.of(
              Objects.requireNonNull(GoldenCustomResourcesTest.class.getResource(directory))
                  .toURI());
      try (Stream<Path> files = Files.list(path)) {
        for (Path file : files.sorted().toList()) {
          List<String> lines = Files.readAllLines(file);
          all.add(
              new Golden(
                  group,
                  file.getFileName().toString(),
                  lines.get(0),
                  lines.get(1),
                  lines.get(2),
                  lines.get(3)));
        }
      }
    }
    return all;
  }

  @Test
  void everyKindHasOneInEachGroup() throws Exception {
    for (ApiGroup group : ApiGroup.values()) {
      Set<Kind> kinds = EnumSet.noneOf(Kind.class);
      documents().stream()
          .filter(golden -> golden.group() == group)
          .forEach(golden -> kinds.add(golden.inEtcd().kind()));

      assertThat(kinds).isEqualTo(EnumSet.complementOf(EnumSet.copyOf(NOT_CUSTOM)));
    }
  }

  @ParameterizedTest
  @MethodSource("documents")
  void isWhereCalicoLooksForIt(Golden golden) {
    assertThat(golden.layout().path(golden.inEtcd().key()).text()).isEqualTo(golden.path());
  }

  @ParameterizedTest
  @MethodSource("documents")
  void isWrittenAsCalicoWritesIt(Golden golden) {
    assertThat(golden.layout().encode(golden.inEtcd()))
        .isEqualTo(Json.parseObject(golden.custom()));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void isReadAsTheSameThatEtcdHolds(Golden golden) {
    Resource expected = golden.inEtcd();

    Resource read = golden.layout().decode(expected.kind(), Json.parseObject(golden.custom()));

    assertThat(read).isEqualTo(expected);
    assertThat(Json.compact(read.content())).isEqualTo(Json.compact(expected.content()));
  }

  @ParameterizedTest
  @MethodSource("documents")
  void isWhatItsDefinitionAllows(Golden golden) {
    ObjectNode custom = Json.parseObject(golden.custom());
    ObjectNode definition =
        Crds.of(golden.group()).stream()
            .filter(crd -> crd.at("/spec/names/kind").equals(custom.get("kind")))
            .findFirst()
            .orElseThrow();

    assertThat(SchemaCheck.run(definition, custom)).isEmpty();
    assertThat(golden.path())
        .contains(definition.at("/spec/group").stringValue())
        .contains("/" + definition.at("/spec/names/plural").stringValue() + "/");
    assertThat(golden.path().contains("/namespaces/"))
        .isEqualTo(definition.at("/spec/scope").stringValue().equals("Namespaced"));
  }
}
