package io.ocicat.bench;

import io.ocicat.netlink.ns.NetNs;
import io.ocicat.testkit.Command;
import java.util.function.Supplier;

/**
 * Measures how long a node takes to repair what somebody else breaks: from the end of the command
 * that breaks it until a command sees it whole, so that most figures contain the start of a process
 * or two.
 */
final class RepairTimes {
  private final NetNs host;
  private final Supplier<String> settled;
  private final String whenSettled;

  /**
   * @param settled what is the same before each sabotage: the repair of one may take effect on
   *     others a little later
   */
  RepairTimes(NetNs host, String settled) {
    this.host = host;
    this.settled = () -> shell(settled);
    this.whenSettled = this.settled.get();
  }

  /**
   * Breaks something and waits until it is whole.
   *
   * @param probe what a shell prints when it is whole, and only then
   * @param reference how long the original took
   */
  void measure(String what, String command, String probe, String reference) {
    measure(what, () -> shell(command), () -> shell(probe), reference);
  }

  void measure(String what, Runnable damage, Supplier<String> probe, String reference) {
    AgentScene.await(
        () -> settled.get().equals(whenSettled), "everything to be whole before " + what);
    String whole = probe.get();
    if (whole.isBlank()) {
      throw new IllegalStateException("nothing to break: " + what);
    }
    damage.run();
    long start = System.nanoTime();
    AgentScene.await(() -> probe.get().equals(whole), what);
    AgentFigures.print("repaired: " + what, System.nanoTime() - start, reference);
  }

  /** Output of a command in the node's namespace, whether it succeeds or not. */
  String shell(String command) {
    return host.visit(() -> Command.of("sh", "-c", command).attempt().stdout());
  }
}
