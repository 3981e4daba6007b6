package io.ocicat.sandbox.pods;

import io.ocicat.base.CrashPoints;
import io.ocicat.cni.PortMapping.Protocol;
import io.ocicat.cni.exec.PluginPath;
import io.ocicat.cni.exec.ProcessExec;
import io.ocicat.cni.plugin.InProcessExec;
import io.ocicat.cni.plugin.Namespaces;
import io.ocicat.datastore.Datastores;
import io.ocicat.netlink.linux.Kernel;
import io.ocicat.netlink.linux.Syscall;
import io.ocicat.plugins.Plugins;
import io.ocicat.sandbox.PodConfig;
import io.ocicat.sandbox.PodMetadata;
import io.ocicat.sandbox.PodPort;
import io.ocicat.sandbox.TestContainers;
import io.ocicat.sandbox.container.ContainerImage;
import io.ocicat.sandbox.container.Containers;
import io.ocicat.sandbox.container.life.ConmonContainers;
import io.ocicat.sandbox.infra.NoInfra;
import io.ocicat.sandbox.infra.PodInfra;
import io.ocicat.sandbox.infra.RuncInfra;
import io.ocicat.sandbox.network.ClusterPods;
import io.ocicat.sandbox.network.NetworkSettings;
import io.ocicat.sandbox.network.PodNetworks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A process that runs one operation, and dies by SIGKILL at a given crash point: {@code <folder>
 * <infra> <point>} and then {@code run <name>}, {@code stop <id>}, {@code remove <id>}, {@code
 * recover}, or with containers {@code create <sandbox> <name>}, {@code start <id>}, {@code end
 * <id>}, {@code delete <id>}.
 */
final class KillMain {
  private static final AtomicInteger PASSED = new AtomicInteger();
  private static final AtomicInteger DEADLY = new AtomicInteger(Integer.MAX_VALUE);

  private static final int SIGKILL = 9;
  private static final CrashPoints POINTS =
      _ -> {
        if (PASSED.incrementAndGet() == DEADLY.get()) {
          die();
        }
      };

  private KillMain() {}

  public static void main(String[] args) {
    Path folder = Path.of(args[0]);
    Containers containers =
        new ConmonContainers(
            TestContainers.settings(folder).points(POINTS),
            new TestContainers.Folders(folder.resolve("rootfs")));
    PodSandboxes pods = pods(folder, args[1], containers);
    DEADLY.set(Integer.parseInt(args[2]));
    switch (args[3]) {
      case "run" -> System.out.println(pods.run(config(args[4], folder), ""));
      case "stop" -> pods.stop(args[4]);
      case "remove" -> pods.remove(args[4]);
      case "create" -> System.out.println(create(pods, args[4], args[5]));
      case "start" -> containers.start(args[4]);
      case "end" -> containers.stop(args[4], Duration.ofSeconds(10));
      case "delete" -> containers.remove(args[4]);
      case "recover" -> System.out.print(String.join("\n", pods.recover()));
      default -> throw new IllegalArgumentException(args[3]);
    }
    System.out.flush();
    System.err.println("passed " + PASSED);
  }

  static String create(PodSandboxes pods, String sandbox, String name) {
    return pods.createContainer(
        sandbox,
        TestContainers.shell(name, "trap 'exit 3' TERM; echo started; sleep 98765 & wait; wait")
            .build(),
        ContainerImage.plain("sha256:b"),
        new byte[0]);
  }

  static PodConfig config(String name, Path folder) {
    return PodConfig.of(new PodMetadata(name, "shop", "u-" + name, 0))
        .logDirectory(folder.resolve("logs/" + name).toString())
        .ports(List.of(new PodPort(Protocol.TCP, 80, 8000 + name.length(), "")))
        .build();
  }

  private static PodSandboxes pods(Path folder, String infra, Containers containers) {
    Datastores datastores = new Datastores();
    NetworkSettings settings =
        NetworkSettings.usual(folder.resolve("run"))
            .at(
                folder.resolve("net.d"),
                PluginPath.of(folder.resolve("bin")),
                folder.resolve("cache"))
            .running(
                Map.of("PATH", "/usr/sbin:/usr/bin:/sbin:/bin"),
                new InProcessExec(
                    file -> Plugins.named(file.getFileName().toString(), datastores),
                    new ProcessExec(),
                    Namespaces.OWN),
                (_, _) -> {});
    PodInfra holder =
        infra.equals(NoInfra.KIND)
            ? new NoInfra()
            : new RuncInfra(
                Path.of("/usr/sbin/runc"), folder.resolve("pause"), folder.resolve("run/runc"));
    return new PodSandboxes(
        SandboxSettings.usual(
                folder.resolve("state"), folder.resolve("run"), List.of(holder), ClusterPods.NOBODY)
            .points(POINTS),
        new PodNetworks(settings),
        containers);
  }

  private static void die() {
    Kernel.call(Syscall.KILL, ProcessHandle.current().pid(), SIGKILL);
  }
}
