package io.ocicat.cli;

import io.ocicat.daemon.Supervisor;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.SystemdNotify;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Tells systemd, which then knows when calls are served and restarts what is stuck. That systemd
 * does not listen is no reason to stop serving: it is said once.
 */
final class Systemd implements Supervisor {
  private final SystemdNotify notice;
  private final Consumer<String> log;
  private boolean complained;

  private Systemd(SystemdNotify notice, Consumer<String> log) {
    this.notice = notice;
    this.log = log;
  }

  /** systemd if it has started this process and asks for it, else nobody. */
  static Supervisor of(Map<String, String> environment, Consumer<String> log) {
    return SystemdNotify.of(environment)
        .<Supervisor>map(notice -> new Systemd(notice, log))
        .orElse(Supervisor.NONE);
  }

  @Override
  public void ready() {
    send(SystemdNotify.READY);
  }

  @Override
  public void alive() {
    send(SystemdNotify.ALIVE);
  }

  @Override
  public void stopping() {
    send(SystemdNotify.STOPPING);
  }

  private synchronized void send(String message) {
    try {
      notice.send(message);
    } catch (NetlinkException e) {
      if (!complained) {
        log.accept(String.valueOf(e.getMessage()));
        complained = true;
      }
    }
  }
}
