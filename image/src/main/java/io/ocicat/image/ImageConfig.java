package io.ocicat.image;

import java.util.List;
import java.util.Map;

/**
 * How an image wants its containers to run: the {@code config} of its configuration, with defaults
 * for what is absent.
 *
 * @param user {@code user[:group]}, names or numbers; empty means root
 * @param env each {@code NAME=value}
 * @param workingDir empty means /
 * @param volumes paths in the container
 * @param stopSignal such as SIGTERM or 15; empty if the image does not say
 * @param exposedPorts such as {@code 80/tcp}
 */
public record ImageConfig(
    String user,
    List<String> env,
    List<String> entrypoint,
    List<String> cmd,
    String workingDir,
    List<String> volumes,
    String stopSignal,
    List<String> exposedPorts,
    Map<String, String> labels) {

  /** Of an image that says nothing. */
  public static final ImageConfig EMPTY =
      new ImageConfig("", List.of(), List.of(), List.of(), "", List.of(), "", List.of(), Map.of());

  public ImageConfig {
    env = List.copyOf(env);
    entrypoint = List.copyOf(entrypoint);
    cmd = List.copyOf(cmd);
    volumes = List.copyOf(volumes);
    exposedPorts = List.copyOf(exposedPorts);
    labels = Map.copyOf(labels);
  }
}
