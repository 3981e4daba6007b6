package io.ocicat.image;

import io.ocicat.base.Quoted;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The name of an image: {@code [registry/]repository[:tag][@digest]}, complete, as containerd and
 * docker understand short names: {@code busybox} is {@code docker.io/library/busybox:latest}. With
 * a digest the tag has no meaning and is dropped.
 *
 * @param registry a host, with a port if one was given
 * @param tag null if the image is named by its digest
 */
public record ImageReference(
    String registry, String repository, @Nullable String tag, @Nullable Digest digest) {
  public static final String DOCKER_HUB = "docker.io";

  private static final String DEFAULT_TAG = "latest";
  private static final int LONGEST_NAME = 255;
  private static final Pattern HOST =
      Pattern.compile(
          "(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*"
              + "|\\[[0-9a-fA-F:]+])(?::[0-9]{1,5})?");
  private static final Pattern REPOSITORY =
      Pattern.compile(
          "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*(?:/[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*)*");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9._-]{0,127}");

  public ImageReference {
    if (!HOST.matcher(registry).matches()) {
      throw new IllegalArgumentException(Quoted.brief(registry) + " is not a registry's host");
    }
    if (!REPOSITORY.matcher(repository).matches()) {
      throw new IllegalArgumentException(
          Quoted.brief(repository)
              + " is not a repository: lower-case letters, digits, and separators . _ - / between"
              + " them");
    }
    if (registry.length() + 1 + repository.length() > LONGEST_NAME) {
      throw new IllegalArgumentException(
          Quoted.brief(repository) + " is too long: a name has at most 255 characters");
    }
    if (tag != null && !TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(
          Quoted.brief(tag)
              + " is not a tag: up to 128 letters, digits, _ . and -, the first not . or -");
    }
    if ((tag == null) == (digest == null)) {
      throw new IllegalArgumentException("an image is named by a tag or by a digest");
    }
  }

  /**
   * Reads a name as people write it.
   *
   * @throws IllegalArgumentException saying what is wrong with it
   */
  public static ImageReference parse(String text) {
    try {
      return read(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "%s is not an image's name: %s".formatted(Quoted.brief(text), e.getMessage()), e);
    }
  }

  private static ImageReference read(String text) {
    if (text.isEmpty()) {
      throw new IllegalArgumentException("it is empty");
    }
    if (Digest.isHex(text)) {
      throw new IllegalArgumentException("it is the id of an image; name a repository");
    }
    int at = text.indexOf('@');
    Digest digest = at < 0 ? null : Digest.parse(text.substring(at + 1));
    String name = at < 0 ? text : text.substring(0, at);
    // A colon after the last slash begins a tag; one before it belongs to a port.
    int colon = name.indexOf(':', name.lastIndexOf('/') + 1);
    String tag = colon < 0 ? null : name.substring(colon + 1);
    if (tag != null && !TAG.matcher(tag).matches()) {
      throw new IllegalArgumentException(Quoted.brief(tag) + " is not a tag");
    }
    String path = colon < 0 ? name : name.substring(0, colon);
    int slash = path.indexOf('/');
    boolean hasRegistry = slash > 0 && isHost(path.substring(0, slash));
    String registry = hasRegistry ? path.substring(0, slash) : DOCKER_HUB;
    String repository = hasRegistry ? path.substring(slash + 1) : path;
    if (registry.equals("index.docker.io")) {
      registry = DOCKER_HUB;
    }
    if (registry.equals(DOCKER_HUB) && repository.indexOf('/') < 0) {
      repository = "library/" + repository;
    }
    if (digest != null) {
      tag = null;
    } else if (tag == null) {
      tag = DEFAULT_TAG;
    }
    return new ImageReference(registry, repository, tag, digest);
  }

  private static boolean isHost(String part) {
    return part.equals("localhost") || part.indexOf('.') >= 0 || part.indexOf(':') >= 0;
  }

  /** The same repository, by the digest of a manifest or index. */
  public ImageReference at(Digest newDigest) {
    return new ImageReference(registry, repository, null, newDigest);
  }

  /** Registry and repository. */
  public String name() {
    return registry + "/" + repository;
  }

  public Optional<Digest> pinned() {
    return Optional.ofNullable(digest);
  }

  /** The complete name: what lists show and what is compared. */
  @Override
  public String toString() {
    return digest != null ? name() + "@" + digest : name() + ":" + tag;
  }
}
