package io.ocicat.sandbox;

import io.ocicat.base.Quoted;
import io.ocicat.sandbox.SandboxException.Reason;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * The identity of a sandbox.
 *
 * @param attempt how many sandboxes this pod had before
 */
public record PodMetadata(String name, String namespace, String uid, long attempt) {
  private static final long LAST_ATTEMPT = 0xffffffffL;
  private static final Pattern NAME = Pattern.compile("[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?");
  private static final Pattern NAMESPACE = Pattern.compile("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?");
  private static final Pattern UID =
      Pattern.compile("[A-Za-z0-9]([A-Za-z0-9.-]{0,126}[A-Za-z0-9])?");

  /** Separators of paths and of CNI_ARGS, and what would damage a terminal or a log line. */
  private static final Pattern FORBIDDEN = Pattern.compile("[/;\\p{Cntrl}]");

  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_NAMESPACE = 253;
  private static final int LONGEST_UID = 128;

  /**
   * Checks the names by the rules of Kubernetes, for people who choose them by hand.
   *
   * @throws SandboxException naming everything that is wrong
   */
  public void checkKubernetesNames() {
    List<String> problems = new ArrayList<>();
    check(problems, "name", name, NAME, "lower-case letters, digits, - and ., at most 253 of them");
    check(
        problems,
        "namespace",
        namespace,
        NAMESPACE,
        "lower-case letters, digits and -, at most 63 of them");
    check(problems, "uid", uid, UID, "letters, digits, - and ., at most 128 of them");
    if (!problems.isEmpty()) {
      throw SandboxException.joined(
          Reason.INVALID, "pod %s cannot be run".formatted(Quoted.brief(pod())), problems);
    }
  }

  private static void check(
      List<String> problems, String what, String value, Pattern form, String allowed) {
    if (value.isEmpty()) {
      problems.add("metadata.%s is missing".formatted(what));
    } else if (!form.matcher(value).matches()) {
      problems.add(
          "metadata.%s %s is not a valid %s: use %s"
              .formatted(what, Quoted.brief(value), what, allowed));
    }
  }

  /** Returns what is wrong with it, one line each. */
  List<String> problems() {
    List<String> problems = new ArrayList<>();
    check(problems, "name", name, LONGEST_NAME);
    check(problems, "namespace", namespace, LONGEST_NAMESPACE);
    check(problems, "uid", uid, LONGEST_UID);
    if (attempt < 0 || attempt > LAST_ATTEMPT) {
      problems.add("metadata.attempt must be 0–%d, not %d".formatted(LAST_ATTEMPT, attempt));
    }
    return problems;
  }

  /**
   * Accepts more than Kubernetes does: a CRI server is also called by tests and tools that choose
   * names of their own.
   */
  private static void check(List<String> problems, String what, String value, int longest) {
    if (value.isEmpty()) {
      problems.add("metadata.%s is missing".formatted(what));
    } else if (value.length() > longest || FORBIDDEN.matcher(value).find()) {
      problems.add(
          "metadata.%s %s is not a valid %s: use at most %d characters, without /, ; and control characters"
              .formatted(what, Quoted.brief(value), what, longest));
    }
  }

  /** The pod's name for people. */
  public String pod() {
    return namespace + "/" + name;
  }

  /** The key by which kubelet distinguishes pods. */
  public String podKey() {
    return name + "_" + namespace;
  }

  /** dockershim's name for the container that holds the sandbox. */
  public String containerName() {
    return "k8s_POD_%s_%s_%s_%d".formatted(name, namespace, uid, attempt);
  }

  /** kubelet's log directory of such a pod, below {@code /var/log/pods}. */
  public String logFolder() {
    return "%s_%s_%s".formatted(namespace, name, uid);
  }

  /**
   * Parses {@link #containerName}, with an optional leading slash or random suffix.
   *
   * @throws SandboxException when it is invalid
   */
  public static PodMetadata ofContainerName(String text) {
    String[] parts = (text.startsWith("/") ? text.substring(1) : text).split("_", -1);
    if (parts.length != 6 && parts.length != 7) {
      throw malformed(text, "it has %d parts, not 6 or 7".formatted(parts.length));
    }
    if (!parts[0].equals("k8s")) {
      throw malformed(text, "it does not begin with k8s");
    }
    try {
      return new PodMetadata(
          parts[2], parts[3], parts[4], Integer.toUnsignedLong(Integer.parseUnsignedInt(parts[5])));
    } catch (NumberFormatException e) {
      throw malformed(text, "%s is not a number of attempts".formatted(Quoted.brief(parts[5])));
    }
  }

  private static SandboxException malformed(String text, String why) {
    return new SandboxException(
        Reason.INVALID, "%s is not the name of a sandbox: %s".formatted(Quoted.brief(text), why));
  }
}
