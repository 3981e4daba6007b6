package io.ocicat.cli.cri;

import io.ocicat.cli.pod.PodContext;
import io.ocicat.netlink.linux.SystemdNotify;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code ocicat cri}: a container runtime for kubelet, in the foreground. */
@Command(
    name = "cri",
    description = {
      "Be kubelet's container runtime, over CRI v1.",
      "Runs in the foreground until told to stop; SIGTERM finishes the calls under way. Containers"
          + " go on without it, and the next start takes them over."
    },
    footer = {
      "",
      "Needs runc (or crun) and conmon, and a network in the configuration directory. Only root can"
          + " use the socket. Pods are also those of \"ocicat pod\", images those of \"ocicat"
          + " image\".",
      "",
      "OCICAT_RUN_DIR    socket, namespaces, sockets of containers (default: /run/ocicat)",
      "OCICAT_STATE_DIR  records of pods and containers, images (default: /var/lib/ocicat)",
      "",
      "Example: ocicat cri --cgroup-driver systemd"
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "1:it could not serve, or another server has the socket",
      "2:the command line is invalid",
      "143:ended by SIGTERM, with the calls under way answered"
    })
public final class CriCommand implements Callable<Integer> {
  private final PodContext context;

  @Spec private CommandSpec spec = CommandSpec.create();
  @Mixin private CriOptions options = new CriOptions();

  public CriCommand(PodContext context) {
    this.context = context;
  }

  @Override
  public Integer call() throws InterruptedException {
    PrintWriter err = spec.commandLine().getErr();
    InetSocketAddress streaming =
        options
            .streaming()
            .orElseThrow(
                () ->
                    new ParameterException(
                        spec.commandLine(),
                        "--streaming-address must be an address of loopback and a port, such as"
                            + " 127.0.0.1:0"));
    CriProcess process = CriProcess.start(context, options, streaming, err, err::println);
    CountDownLatch ended = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("cri end")
                .unstarted(
                    () -> {
                      process.close();
                      ended.countDown();
                    }));
    SystemdNotify.of(context.environment()).ifPresent(systemd -> systemd.send(SystemdNotify.READY));
    ended.await();
    return ExitCode.OK;
  }
}
