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

  /** Separators of paths and of CNI_ARGS, and what would damage a terminal or a log line. */
  private static final Pattern FORBIDDEN = Pattern.compile("[/;\\p{Cntrl}]");

  private static final int LONGEST_NAME = 253;
  private static final int LONGEST_NAMESPACE = 253;
  private static final int LONGEST_UID = 128;

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
