package io.ocicat.plugins;

import io.ocicat.base.json.Json;
import io.ocicat.datastore.kubernetes.TestCluster;
import tools.jackson.databind.node.ObjectNode;

/**
 * A simulation of KubeVirt in the tests' cluster: creates virtual machines, their instances and
 * pods.
 */
public record Kubevirt(TestCluster cluster, String namespace) {
  private static final String VERSION = "kubevirt.io/v1";
  private static final String MACHINES = "virtualmachines.kubevirt.io";
  private static final String INSTANCES = "virtualmachineinstances.kubevirt.io";

  public static Kubevirt install(TestCluster cluster, String namespace) {
    cluster.define(MACHINES);
    cluster.define(INSTANCES);
    return new Kubevirt(cluster, namespace);
  }

  /** A running machine. */
  public void start(String name) {
    cluster.put(MACHINES, namespace, name, object("VirtualMachine"));
    instance(name, true);
  }

  /** The instance of a machine, replacing an earlier one; or an instance without a machine. */
  public void instance(String name, boolean ofMachine) {
    ObjectNode instance = object("VirtualMachineInstance");
    if (ofMachine) {
      own(instance, "VirtualMachine", name, machineUid(name));
    }
    if (cluster.get(INSTANCES, namespace, name).isPresent()) {
      removeInstance(name);
    }
    cluster.put(INSTANCES, namespace, name, instance);
  }

  public String machineUid(String name) {
    return uid(MACHINES, name);
  }

  public String instanceUid(String name) {
    return uid(INSTANCES, name);
  }

  private String uid(String collection, String name) {
    return cluster
        .get(collection, namespace, name)
        .map(object -> object.at("/metadata/uid").asString())
        .orElse("gone");
  }

  /** The pod that a machine starts in. */
  public void pod(String pod, String machine) {
    cluster.pod(launcher(pod, machine));
  }

  /** The pod that a machine migrates to. */
  public void target(String pod, String machine) {
    ObjectNode launcher = launcher(pod, machine);
    launcher.withObject("/metadata/labels").put("kubevirt.io/migrationJobUID", "vmim-" + pod);
    cluster.pod(launcher);
  }

  /** A pod of the current instance. */
  public ObjectNode launcher(String pod, String machine) {
    ObjectNode launcher = Json.object().put("apiVersion", "v1").put("kind", "Pod");
    ObjectNode metadata = launcher.putObject("metadata").put("name", pod);
    metadata.put("namespace", namespace).put("uid", "uid-" + pod);
    metadata.putObject("labels").put("kubevirt.io", "virt-launcher");
    own(launcher, "VirtualMachineInstance", machine, instanceUid(machine));
    launcher.putObject("spec");
    return launcher;
  }

  /** Sets where a pod is to run. */
  public void schedule(String pod, String node) {
    ObjectNode launcher = cluster.pod(namespace, pod).orElseThrow();
    launcher.withObject("/spec").put("nodeName", node);
    cluster.pod(launcher);
  }

  /** Marks the machine as being deleted. */
  public void endMachine(String name) {
    end(MACHINES, name);
  }

  public void endInstance(String name) {
    end(INSTANCES, name);
  }

  private void end(String collection, String name) {
    ObjectNode object = cluster.get(collection, namespace, name).orElseThrow();
    object.withObject("/metadata").put("deletionTimestamp", "2026-01-01T00:00:00Z");
    cluster.put(collection, namespace, name, object);
  }

  public void removeMachine(String name) {
    cluster.remove(MACHINES, namespace, name);
  }

  public void removeInstance(String name) {
    cluster.remove(INSTANCES, namespace, name);
  }

  public void removePod(String pod) {
    cluster.remove("pods", namespace, pod);
  }

  private static ObjectNode object(String kind) {
    return Json.object().put("apiVersion", VERSION).put("kind", kind);
  }

  private static void own(ObjectNode object, String kind, String name, String uid) {
    object
        .withObject("/metadata")
        .putArray("ownerReferences")
        .addObject()
        .put("apiVersion", VERSION)
        .put("kind", kind)
        .put("name", name)
        .put("uid", uid)
        .put("controller", true);
  }
}
