package io.ocicat.cni.runtime;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A directory of network configurations such as {@code /etc/cni/net.d}. Every call reads it again.
 *
 * <p>Lists are in files that end in {@code .conflist}, single plugins in {@code .conf} or {@code
 * .json}; other files and folders are ignored. The {@code .conf} files in a folder next to a list,
 * with the network's name, are added to the list. Unlike with libcni, an unusable file does not
 * hide the networks of the files after it.
 */
public final class ConfDirectory {
  private final Path directory;

  public ConfDirectory(Path directory) {
    this.directory = directory;
  }

  public Path path() {
    return directory;
  }

  /**
   * The network of this name. Of several the first in lexical order of the files counts, lists
   * before single plugins.
   *
   * @throws NetworkNotFoundException when no file has it; the details say which files could not be
   *     read
   * @throws CniException when the file that has it is invalid
   */
  public NetworkFile load(String name) {
    List<Path> files = inPrecedence();
    if (files.isEmpty()) {
      throw new NetworkNotFoundException("no net configurations found in " + directory, "");
    }
    List<ConfProblem> problems = new ArrayList<>();
    for (Path file : files) {
      Optional<ConfFile> read = ConfReader.read(file);
      if (read.isPresent()) {
        switch (read.get()) {
          case ConfFile.Good(NetworkFile network) when network.name().equals(name) -> {
            return network;
          }
          case ConfFile.Good _ -> {}
          case ConfFile.Bad bad when bad.name().equals(name) -> throw broken(bad);
          case ConfFile.Bad bad -> problems.addAll(bad.problems());
        }
      }
    }
    throw new NetworkNotFoundException(
        "no net configuration with name " + Quoted.brief(name) + " in " + directory,
        problems.isEmpty() ? "" : "some files there cannot be used: " + join(problems));
  }

  private static CniException broken(ConfFile.Bad bad) {
    String parsing =
        ConfReader.isList(bad.file())
            ? "error parsing configuration list: "
            : "error parsing configuration: ";
    return new CniException(ErrorCode.INVALID_NETWORK_CONFIG, parsing + join(bad.problems()));
  }

  private static String join(List<ConfProblem> problems) {
    return problems.stream().map(ConfProblem::toString).collect(Collectors.joining("; "));
  }

  /**
   * The network of the first usable file in lexical order, whatever its name and kind: the default
   * network of kubelet and containerd.
   */
  public Optional<NetworkFile> first() {
    return ConfReader.files(directory).stream()
        .flatMap(file -> ConfReader.read(file).stream())
        .flatMap(
            file ->
                switch (file) {
                  case ConfFile.Good(NetworkFile network) -> Stream.of(network);
                  case ConfFile.Bad _ -> Stream.empty();
                })
        .findFirst();
  }

  /**
   * The networks of all usable files in lexical order, and the problems of the others: what kubelet
   * iterates over for its default. Unlike in {@link #list}, files may share a name.
   */
  public ConfListing inOrder() {
    List<NetworkFile> networks = new ArrayList<>();
    List<ConfProblem> problems = new ArrayList<>();
    for (Path file : ConfReader.files(directory)) {
      switch (ConfReader.read(file).orElse(null)) {
        case ConfFile.Good(NetworkFile network) -> networks.add(network);
        case ConfFile.Bad bad -> problems.addAll(bad.problems());
        case null -> {}
      }
    }
    return new ConfListing(networks, problems);
  }

  /**
   * All networks and all problems. A network is in the list when {@link #load} would return it; a
   * second file with the same name is a problem.
   */
  public ConfListing list() {
    Map<Path, ConfFile> read = new HashMap<>();
    Map<String, Path> owners = new HashMap<>();
    for (Path file : inPrecedence()) {
      ConfReader.read(file)
          .ifPresent(
              found -> {
                read.put(file, found);
                owners.putIfAbsent(found.name(), file);
              });
    }
    List<NetworkFile> networks = new ArrayList<>();
    List<ConfProblem> problems = new ArrayList<>();
    read.keySet().stream()
        .sorted(ConfReader.BY_BYTES)
        .map(read::get)
        .forEach(
            found -> {
              switch (found) {
                case ConfFile.Bad bad -> problems.addAll(bad.problems());
                case ConfFile.Good(NetworkFile network) -> {
                  Path owner = owners.getOrDefault(network.name(), network.file());
                  if (owner.equals(network.file())) {
                    networks.add(network);
                  } else {
                    problems.add(shadowed(network, owner));
                  }
                }
              }
            });
    return new ConfListing(networks, problems);
  }

  private static ConfProblem shadowed(NetworkFile network, Path owner) {
    return new ConfProblem(
        network.file(),
        "name",
        Quoted.of(network.name()) + " is already the name of the network in " + owner);
  }

  private List<Path> inPrecedence() {
    List<Path> all = ConfReader.files(directory);
    return Stream.concat(
            all.stream().filter(ConfReader::isList),
            all.stream().filter(Predicate.not(ConfReader::isList)))
        .toList();
  }
}
