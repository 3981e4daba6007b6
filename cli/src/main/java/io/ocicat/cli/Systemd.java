package io.ocicat.cli;

import io.ocicat.daemon.Supervisor;
import io.ocicat.netlink.linux.NetlinkException;
import io.ocicat.netlink.linux.SystemdNotify;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Notifies systemd of the daemon's state, so that it knows when calls are served and restarts a
 * stuck daemon. If systemd does not listen the daemon serves anyway: that is logged once.
 */
final class Systemd implements Supervisor {
  private final SystemdNotify notice;
  private final Consumer<String> log;
  private boolean complained;

  private Systemd(SystemdNotify notice, Consumer<String> log) {
    this.notice = notice;
    this.log = log;
  }

  /** systemd if it started this process and wants notifications, else none. */
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
