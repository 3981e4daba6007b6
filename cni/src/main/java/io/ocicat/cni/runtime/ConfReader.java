package io.ocicat.cni.runtime;

import io.ocicat.cni.CniException;
import io.ocicat.cni.CniJson;
import io.ocicat.cni.ConfigList;
import io.ocicat.cni.ErrorCode;
import io.ocicat.cni.NetworkName;
import io.ocicat.cni.PluginConfig;
import io.ocicat.cni.PluginType;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Reads the files of a configuration directory, one at a time. */
final class ConfReader {
  /** Go's order of file names; Java's own differs beyond the BMP. */
  static final Comparator<Path> BY_BYTES =
      Comparator.comparing(
          file -> file.getFileName().toString().getBytes(StandardCharsets.UTF_8),
          Arrays::compareUnsigned);

  private static final Set<String> EXTENSIONS = Set.of("conflist", "conf", "json");

  private ConfReader() {}

  /** The candidates in lexical order; none when the directory does not exist. */
  static List<Path> files(Path directory) {
    return list(directory, EXTENSIONS);
  }

  static boolean isList(Path file) {
    return extension(file).equals("conflist");
  }

  private static List<Path> list(Path directory, Set<String> extensions) {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (extensions.contains(extension(entry)) && !Files.isDirectory(entry)) {
          files.add(entry);
        }
      }
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new CniException(
          ErrorCode.IO_FAILURE,
          "cannot list the directory " + directory + ": " + IoReason.of(e),
          e);
    }
    files.sort(BY_BYTES);
    return files;
  }

  /** What follows the last dot, so that a file named {@code .conf} has one. */
  private static String extension(Path file) {
    String name = file.getFileName().toString();
    return name.substring(name.lastIndexOf('.') + 1);
  }

  /** Empty when the file has been removed meanwhile. */
  static Optional<ConfFile> read(Path file) {
    byte[] bytes;
    try {
      bytes = bytes(file);
    } catch (IOException e) {
      return Files.exists(file, LinkOption.NOFOLLOW_LINKS)
          ? Optional.of(
              bad(file, "", new ConfProblem(file, "", "cannot be read: " + IoReason.of(e))))
          : Optional.empty();
    }
    return Optional.of(isList(file) ? readList(file, bytes) : readSingle(file, bytes));
  }

  /** Only regular files: reading a pipe would wait for a writer. */
  private static byte[] bytes(Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      throw Files.exists(file)
          ? new IOException("not a regular file")
          : new NoSuchFileException(file.toString());
    }
    long size = Files.size(file);
    if (size > CniJson.MAX_BYTES) {
      throw new IOException(
          "it has " + size + " bytes, at most " + CniJson.MAX_BYTES + " are read");
    }
    return Files.readAllBytes(file);
  }

  private static ConfFile readSingle(Path file, byte[] bytes) {
    try {
      PluginConfig single = PluginConfig.parse(bytes);
      return new ConfFile.Good(
          new NetworkFile(file, checked(ConfigList.ofSingle(single)), List.of()));
    } catch (CniException e) {
      return diagnosed(file, ConfDiagnosis.ofSingle(bytes, e));
    }
  }

  private static ConfFile readList(Path file, byte[] bytes) {
    ConfigList inlined;
    try {
      inlined = checked(ConfigList.parse(bytes));
    } catch (CniException e) {
      return diagnosed(file, ConfDiagnosis.ofList(bytes, e));
    }
    if (inlined.loadOnlyInlinedPlugins()) {
      return new ConfFile.Good(new NetworkFile(file, inlined, List.of()));
    }
    return withFolder(file, inlined);
  }

  /** The name becomes a path and the types become executables, so both are checked here. */
  private static ConfigList checked(ConfigList list) {
    NetworkName _ = list.networkName();
    for (PluginConfig plugin : list.plugins()) {
      PluginType _ = new PluginType(plugin.type());
    }
    return list;
  }

  private static ConfFile withFolder(Path file, ConfigList inlined) {
    Path folder = file.resolveSibling(inlined.networkName().value());
    List<Path> files;
    try {
      files = Files.exists(folder) ? list(folder, Set.of("conf")) : List.of();
    } catch (CniException e) {
      return bad(
          file,
          inlined.name(),
          new ConfProblem(
              file, "", "failed to read plugin config files in " + folder + ": " + e.getMessage()));
    }
    List<PluginConfig> plugins = new ArrayList<>();
    List<Path> folderFiles = new ArrayList<>();
    List<ConfProblem> problems = new ArrayList<>();
    for (Path member : files) {
      try {
        byte[] bytes = bytes(member);
        try {
          PluginConfig plugin = PluginConfig.parse(bytes);
          PluginType _ = new PluginType(plugin.type());
          plugins.add(plugin);
          folderFiles.add(member);
        } catch (CniException e) {
          problems.addAll(ConfDiagnosis.ofFolderPlugin(bytes, e).in(member));
        }
      } catch (IOException e) {
        if (Files.exists(member, LinkOption.NOFOLLOW_LINKS)) {
          problems.add(new ConfProblem(member, "", "cannot be read: " + IoReason.of(e)));
        }
      }
    }
    ConfigList whole = inlined.plus(plugins);
    if (problems.isEmpty() && whole.plugins().isEmpty()) {
      problems.add(
          new ConfProblem(
              file, "plugins", "is missing and " + folder + " has none: no plugin configs found"));
    }
    return problems.isEmpty()
        ? new ConfFile.Good(new NetworkFile(file, whole, folderFiles))
        : new ConfFile.Bad(file, inlined.name(), problems);
  }

  private static ConfFile diagnosed(Path file, ConfDiagnosis diagnosis) {
    return new ConfFile.Bad(file, diagnosis.name(), diagnosis.in(file));
  }

  private static ConfFile bad(Path file, String name, ConfProblem problem) {
    return new ConfFile.Bad(file, name, List.of(problem));
  }
}
