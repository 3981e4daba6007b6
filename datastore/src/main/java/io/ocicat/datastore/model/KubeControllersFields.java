package io.ocicat.datastore.model;

import static io.ocicat.datastore.model.Shape.duration;
import static io.ocicat.datastore.model.Shape.field;
import static io.ocicat.datastore.model.Shape.struct;
import static io.ocicat.datastore.model.Shape.structs;
import static io.ocicat.datastore.model.Shape.text;
import static io.ocicat.datastore.model.Shape.texts;
import static io.ocicat.datastore.model.Shape.whole;

import io.ocicat.base.Quoted;
import io.ocicat.base.json.Problems;
import java.util.HashSet;
import java.util.Set;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The schema of KubeControllersConfiguration: settings of Calico's controllers for Kubernetes. */
final class KubeControllersFields {
  private static final Shape.Struct TEMPLATE =
      new Shape.Struct(
              text("generateName", "How names of host endpoints are generated.")
                  .max(253)
                  .is(ValueRules.NAME)
                  .require(),
              texts("interfaceCIDRs", "Networks of interfaces that get one.")
                  .distinct()
                  .is(ValueRules.CIDR),
              text("interfacePattern", "Names of interfaces that get one.").is(ValueRules.REGEX),
              field("labels", "Labels of the host endpoints.", ValueRules.LABELS),
              field("annotations", "Annotations of the host endpoints.", ValueRules.ANNOTATIONS),
              text("nodeSelector", "Nodes that get one.").is(ValueRules.SELECTOR))
          .where(FieldRule.anyOf("interfaceCIDRs", "interfacePattern"));

  private static final Shape.Struct HOST_ENDPOINT =
      new Shape.Struct(
              text("autoCreate", "Whether nodes get host endpoints.").in("Enabled", "Disabled"),
              text("createDefaultHostEndpoint", "Whether they get one for all interfaces.")
                  .in("Enabled", "Disabled"),
              structs("templates", "Host endpoints for some interfaces.", TEMPLATE))
          .where("Templates have different names.", KubeControllersFields::differentNames);

  private static final Shape.Struct PERIOD =
      new Shape.Struct(duration("reconcilerPeriod", "The interval of full reconciliation."));

  private static final Shape.Struct CONTROLLERS =
      new Shape.Struct(
          struct(
              "node",
              "The controller of nodes.",
              new Shape.Struct(
                  duration("reconcilerPeriod", "The interval of full reconciliation."),
                  text("syncLabels", "Whether nodes get Kubernetes' labels.")
                      .in("Enabled", "Disabled"),
                  struct("hostEndpoint", "Host endpoints created for nodes.", HOST_ENDPOINT),
                  duration("leakGracePeriod", "When a leaked address is released."))),
          struct("policy", "The controller of policies.", PERIOD),
          struct("workloadEndpoint", "The controller of endpoints.", PERIOD),
          struct("serviceAccount", "The controller of service accounts.", PERIOD),
          struct("namespace", "The controller of namespaces.", PERIOD),
          struct(
              "loadBalancer",
              "The controller of load balancers.",
              new Shape.Struct(
                  text("assignIPs", "Which services get an address.")
                      .in("AllServices", "RequestedServicesOnly")
                      .initially("AllServices"))),
          struct(
              "migration",
              "The controller of migrations.",
              new Shape.Struct(
                  text("policyNameMigrator", "Whether old names of policies are changed.")
                      .in("Disabled", "Enabled")
                      .initially("Enabled"))));

  private static final Shape.Struct SPEC =
      new Shape.Struct(
          text("logSeverityScreen", "The lowest severity that is logged.")
              .in("None", "Debug", "Info", "Warning", "Error", "Fatal", "Panic"),
          text("healthChecks", "Whether health is reported.")
              .in("Enabled", "Disabled")
              .initially("Enabled"),
          duration("etcdV3CompactionPeriod", "How often etcd is compacted."),
          whole("prometheusMetricsPort", "The port of the metrics; 0 for none.", 0, 65535)
              .ifPresent(),
          field("controllers", "The controllers that run.", CONTROLLERS).always(),
          whole("debugProfilePort", "The port for profiling; 0 for none.", 0, 65535).ifPresent());

  static final Shape.Struct DOCUMENT =
      MetadataShape.document(
          field("spec", "Settings of Calico's controllers for Kubernetes.", SPEC).always(),
          field(
                  "status",
                  "The settings in use.",
                  new Shape.Struct(
                      struct("runningConfig", "The effective settings.", SPEC),
                      field("environmentVars", "The environment variables.", ValueRules.TEXTS)))
              .always());

  private KubeControllersFields() {}

  /** Fills in what Calico's client does, beyond the defaults of the fields. */
  static void complete(ObjectNode spec) {
    if (!spec.has("prometheusMetricsPort")) {
      spec.put("prometheusMetricsPort", 9094);
    }
    if (spec.path("controllers").path("node") instanceof ObjectNode node
        && !node.has("leakGracePeriod")) {
      node.put("leakGracePeriod", "15m0s");
    }
  }

  private static void differentNames(ObjectNode config, String path, Problems problems) {
    Set<String> names = new HashSet<>();
    for (JsonNode template : config.path("templates").values()) {
      String name = template.path("generateName").asString("");
      if (!names.add(name)) {
        problems.add(path + ".templates", "has two of generateName " + Quoted.brief(name));
      }
    }
  }
}
