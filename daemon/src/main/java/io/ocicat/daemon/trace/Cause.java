package io.ocicat.daemon.trace;

import io.ocicat.cni.CniException;
import io.ocicat.cni.FailureReason;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Why a call failed, out of a small fixed set, each with advice for people; a label of metrics. It
 * follows from the {@link FailureReason} that our own code gives. Without one it follows from
 * messages that external plugins are known to print, and from the error code.
 */
public enum Cause {
  NONE("nothing to do"),
  NOT_READY("wait until STATUS of the network answers well; its message says what is missing"),
  POOL_EMPTY(
      "give ipam another range or a larger subnet, or let the runtime's GC free the addresses of"
          + " containers that are gone (`ocicat net gc NETWORK`)"),
  ADDRESS_TAKEN("ask for another address, or find out who has it"),
  PORT_TAKEN("choose another host port, or end the container that the message names"),
  ALREADY_ATTACHED("DEL what an earlier ADD made for this interface, then ADD again"),
  CHANGED("somebody changed what ADD made: DEL and ADD again; `ocicat why` says what is missing"),
  NAME_CONFLICT("remove or rename what has the name, or choose another name in the configuration"),
  NETNS_GONE(
      "the container ended or its namespace was never made: look at the runtime's log for it"),
  PLUGIN_MISSING("install the plugin into a directory of CNI_PATH, or correct the type"),
  CONFIG("correct the field that the message names; `ocicat net validate` shows all at once"),
  FILES("make room on, or write access to, the disk that the message names"),
  KERNEL("the kernel refused what the message names: `ocicat doctor` says what it lacks"),
  OVERLOADED("start fewer containers at once, or give ocicatd more processors"),
  TIMEOUT("run `ocicat trace` to see what took the time"),
  DELETED_MEANWHILE("nothing to do: the runtime had given the container up"),
  CALLER_GONE("the runtime stopped waiting, see its log and time limit; nothing was left behind"),
  SHUTTING_DOWN("nothing to do: the machine is going down"),
  OTHER("see the message and `ocicat trace`");

  private record Words(String text, Cause cause) {}

  /** Messages of external plugins, which give no reason; searched before the code is considered. */
  private static final List<Words> WORDS =
      List.of(
          new Words("no IP addresses available", POOL_EMPTY),
          new Words("failed to find plugin", PLUGIN_MISSING),
          new Words("duplicate allocation is not allowed", ALREADY_ATTACHED),
          new Words("container veth name", ALREADY_ATTACHED),
          new Words("is not available in range set", ADDRESS_TAKEN),
          new Words("already exists but is not a", NAME_CONFLICT),
          new Words("(EEXIST)", NAME_CONFLICT));

  /** As {@code NetlinkException} writes it. */
  private static final Pattern ERRNO = Pattern.compile("\\(E[A-Z0-9]+\\)");

  private final String advice;

  Cause(String advice) {
    this.advice = advice;
  }

  /** The cause of a failed call. */
  public static Cause of(CniException error) {
    return error
        .reason()
        .map(Cause::of)
        .orElseGet(() -> of(error.code().value(), String.valueOf(error.getMessage())));
  }

  private static Cause of(FailureReason reason) {
    return switch (reason) {
      case ADDRESSES_EXHAUSTED -> POOL_EMPTY;
      case ADDRESS_TAKEN -> ADDRESS_TAKEN;
      case PORT_TAKEN -> PORT_TAKEN;
      case ALREADY_ATTACHED -> ALREADY_ATTACHED;
      case NAME_TAKEN -> NAME_CONFLICT;
      case MASQUERADE_MISSING -> CHANGED;
      case PLUGIN_MISSING -> PLUGIN_MISSING;
      case OVERLOADED -> OVERLOADED;
      case TIMED_OUT -> TIMEOUT;
      case DELETED_MEANWHILE -> DELETED_MEANWHILE;
      case CALLER_GONE -> CALLER_GONE;
      case SHUTTING_DOWN -> SHUTTING_DOWN;
    };
  }

  private static Cause of(int code, String message) {
    for (Words words : WORDS) {
      if (message.contains(words.text())) {
        return words.cause();
      }
    }
    return switch (code) {
      case 8 -> NETNS_GONE;
      case 1, 2, 4, 6, 7 -> CONFIG;
      case 5 -> FILES;
      case 11, 50, 51 -> NOT_READY;
      default -> ERRNO.matcher(message).find() ? KERNEL : OTHER;
    };
  }

  /** What to do next, for people. */
  public String advice() {
    return advice;
  }

  public String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** The one with this label; {@link #OTHER} for labels of other versions. */
  public static Cause labelled(String label) {
    for (Cause cause : values()) {
      if (cause.label().equals(label)) {
        return cause;
      }
    }
    return OTHER;
  }
}
