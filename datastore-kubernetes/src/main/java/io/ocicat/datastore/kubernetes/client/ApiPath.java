package io.ocicat.datastore.kubernetes.client;

import io.ocicat.datastore.error.InvalidException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The path of an API object or collection. Texts that do not apply are empty.
 *
 * @param group empty for the core group
 * @param resource plural
 * @param namespace empty for all of them, or for a cluster-scoped resource
 * @param name empty for the collection
 */
public record ApiPath(
    String group,
    String version,
    String resource,
    String namespace,
    String name,
    String subresource) {

  /** The list of groups. */
  public static final ApiPath GROUPS = new ApiPath("", "", "", "", "", "");

  public ApiPath {
    for (String part : List.of(namespace, name)) {
      if (part.equals(".") || part.equals("..")) {
        throw new InvalidException("\"%s\" is not a name".formatted(part));
      }
    }
  }

  public static ApiPath core(String resource) {
    return new ApiPath("", "v1", resource, "", "", "");
  }

  public ApiPath in(String namespace) {
    return new ApiPath(group, version, resource, namespace, name, subresource);
  }

  public ApiPath named(String name) {
    return new ApiPath(group, version, resource, namespace, name, subresource);
  }

  public ApiPath sub(String subresource) {
    return new ApiPath(group, version, resource, namespace, name, subresource);
  }

  public String text() {
    if (version.isEmpty()) {
      return "/apis";
    }
    StringBuilder path = new StringBuilder(group.isEmpty() ? "/api/" : "/apis/" + group + "/");
    path.append(version);
    if (!namespace.isEmpty()) {
      path.append("/namespaces/").append(encode(namespace));
    }
    path.append('/').append(resource);
    if (!name.isEmpty()) {
      path.append('/').append(encode(name));
    }
    if (!subresource.isEmpty()) {
      path.append('/').append(subresource);
    }
    return path.toString();
  }

  /** As in RBAC rules: {@code ippools.crd.projectcalico.org}, {@code pods/status}. */
  public String permission() {
    return resource
        + (subresource.isEmpty() ? "" : "/" + subresource)
        + (group.isEmpty() ? "" : "." + group);
  }

  /** Resource and name, as in {@code pods/status default/web}. */
  public String describe() {
    if (version.isEmpty()) {
      return "API groups";
    }
    String which =
        namespace.isEmpty() || name.isEmpty() ? namespace + name : namespace + "/" + name;
    return which.isEmpty() ? permission() : permission() + " " + which;
  }

  public static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
  }

  @Override
  public String toString() {
    return text();
  }
}
