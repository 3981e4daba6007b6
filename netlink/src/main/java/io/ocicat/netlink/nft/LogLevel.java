package io.ocicat.netlink.nft;

/** The severity of a line in the kernel log (syslog). */
public enum LogLevel implements Symbol {
  EMERG(0),
  ALERT(1),
  CRIT(2),
  ERR(3),
  WARN(4),
  NOTICE(5),
  INFO(6),
  DEBUG(7),
  AUDIT(8);

  private final int number;

  LogLevel(int number) {
    this.number = number;
  }

  @Override
  public int number() {
    return number;
  }
}
