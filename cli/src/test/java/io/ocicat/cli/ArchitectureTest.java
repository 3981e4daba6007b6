package io.ocicat.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.library.Architectures.LayeredArchitecture;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Architecture rules that the compiler does not enforce. */
class ArchitectureTest {

  /**
   * What each module may use, by its package. A module that is not written yet may already be
   * listed. A module inside another's package is still a separate module.
   */
  private static final Map<String, Set<String>> MAY_USE =
      Map.ofEntries(
          entry("testkit", Set.of()),
          entry("ip", Set.of()),
          entry("netlink", Set.of("ip")),
          entry("base", Set.of("ip")),
          entry("cni", Set.of("ip", "base")),
          entry("image", Set.of("ip", "base", "netlink")),
          entry("conformance", Set.of("ip", "base", "netlink", "cni")),
          entry("datastore", Set.of("ip", "base")),
          entry("datastore.etcd", Set.of("ip", "base", "datastore")),
          entry("datastore.kubernetes", Set.of("ip", "base", "datastore")),
          entry("ipam", Set.of("ip", "base", "datastore")),
          entry("ipamserver", Set.of("ip", "base", "cni")),
          entry("plugins", Set.of("ip", "base", "netlink", "cni", "datastore", "ipam")),
          entry("daemon", Set.of("ip", "base", "netlink", "cni", "datastore", "ipam", "plugins")),
          entry(
              "sandbox",
              Set.of("ip", "base", "netlink", "image", "cni", "datastore", "ipam", "plugins")),
          entry(
              "cri",
              Set.of(
                  "ip",
                  "base",
                  "netlink",
                  "image",
                  "cni",
                  "datastore",
                  "ipam",
                  "plugins",
                  "sandbox")),
          entry("agent", Set.of("ip", "base", "netlink", "cni", "datastore", "ipam", "plugins")),
          entry(
              "cli",
              Set.of(
                  "ip",
                  "base",
                  "netlink",
                  "image",
                  "cni",
                  "conformance",
                  "datastore",
                  "ipam",
                  "plugins",
                  "ipamserver",
                  "daemon",
                  "sandbox",
                  "cri",
                  "agent")));

  /** Public types of one simple name in several modules, and why no better name was found. */
  private static final Map<String, String> NAMED_TWICE =
      Map.of("Route", "the specification's in a result, and the kernel's");

  private static final List<String> FORBIDDEN_ENDINGS =
      List.of("Manager", "Helper", "Util", "Utils", "Impl");

  private static final JavaClasses PRODUCT =
      new ClassFileImporter()
          .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
          .withImportOption(location -> !location.contains("-tests.jar"))
          .importPackages("io.ocicat");

  @Test
  void everyModuleHasItsPlaceInTheTable() {
    assertThat(PRODUCT)
        .extracting(ArchitectureTest::module)
        .contains("cli", "ip")
        .isSubsetOf(MAY_USE.keySet());
  }

  @Test
  void modulesUseOnlyWhatIsBelowThem() {
    LayeredArchitecture house =
        layeredArchitecture().consideringOnlyDependenciesInLayers().withOptionalLayers(true);
    for (String module : MAY_USE.keySet()) {
      house =
          house
              .layer(module)
              .definedBy(DescribedPredicate.describe(module, type -> module(type).equals(module)));
    }
    for (Map.Entry<String, Set<String>> allowed : MAY_USE.entrySet()) {
      house =
          allowed.getValue().isEmpty()
              ? house.whereLayer(allowed.getKey()).mayNotAccessAnyLayer()
              : house
                  .whereLayer(allowed.getKey())
                  .mayOnlyAccessLayers(allowed.getValue().toArray(String[]::new));
    }
    house.check(PRODUCT);
  }

  @Test
  void packagesKnowEachOtherOneWay() {
    slices().matching("io.ocicat.(**)").should().beFreeOfCycles().check(PRODUCT);
  }

  /** What one plugin needs of the daemon it offers as an interface of plugins.resident. */
  @Test
  void theDaemonKnowsNoPluginOfCalico() {
    noClasses()
        .that()
        .resideInAPackage("io.ocicat.daemon..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.ocicat.plugins.calico..",
            "io.ocicat.plugins.calicocluster..",
            "io.ocicat.plugins.calicoipam..",
            "io.ocicat.plugins.calicolog..")
        .check(PRODUCT);
  }

  @ParameterizedTest
  @ValueSource(strings = {"out", "err", "in"})
  void onlyDoorsTouchTheStandardStreams(String stream) {
    noClasses()
        .that()
        .resideOutsideOfPackages("io.ocicat.cli..", "io.ocicat.daemon..")
        .and()
        // The entry point of a plugin that is its own executable.
        .doNotHaveFullyQualifiedName("io.ocicat.cni.plugin.PluginMain")
        .should()
        .accessField(System.class, stream)
        .because("standard output holds exactly one JSON document when a plugin runs")
        .check(PRODUCT);
  }

  @Test
  void nobodyAsksTheResolver() {
    noClasses()
        .that()
        // Calico's can-reach=NAME is a question to DNS.
        .doNotHaveFullyQualifiedName("io.ocicat.agent.startup.HostNameLookup")
        .should()
        .callMethod(InetAddress.class, "getByName", String.class)
        .orShould()
        .callMethod(InetAddress.class, "getAllByName", String.class)
        .orShould()
        .callConstructor(InetSocketAddress.class, String.class, int.class)
        .because("an address that is no address must be an error, not a question to DNS")
        .check(PRODUCT);
  }

  @Test
  void namesSayTheJob() {
    assertThat(PRODUCT)
        .extracting(JavaClass::getSimpleName)
        .noneMatch(name -> FORBIDDEN_ENDINGS.stream().anyMatch(name::endsWith));
  }

  @Test
  void onePublicNameIsOneThing() {
    Map<String, Set<String>> modules = new TreeMap<>();
    for (JavaClass type : PRODUCT) {
      if (type.isTopLevelClass() && type.getModifiers().contains(JavaModifier.PUBLIC)) {
        modules
            .computeIfAbsent(type.getSimpleName(), _ -> new TreeSet<>())
            .add(module(type) + " " + type.getPackageName());
      }
    }
    modules.values().removeIf(places -> places.size() < 2);
    assertThat(modules).containsOnlyKeys(NAMED_TWICE.keySet());
  }

  /** Empty for types that are not ours. */
  private static String module(JavaClass type) {
    if (!type.getPackageName().startsWith("io.ocicat.")) {
      return "";
    }
    String name = type.getPackageName().substring("io.ocicat.".length());
    while (!MAY_USE.containsKey(name) && name.contains(".")) {
      name = name.substring(0, name.lastIndexOf('.'));
    }
    return name;
  }
}
