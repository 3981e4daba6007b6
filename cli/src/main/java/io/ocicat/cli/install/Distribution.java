package io.ocicat.cli.install;

import io.ocicat.plugins.Plugins;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The folder of the distribution, and where its parts are installed. */
record Distribution(Path home) {
  /** Next to the executables; the shim finds the rest of the distribution by it. */
  private static final String HOME_LINK = ".ocicat";

  /** Next to the executables; where it exists, the shim starts no daemon. */
  private static final String NO_ON_DEMAND = ".ocicat-no-on-demand";

  private static final String HOME_IN_UNITS = "@home@";
  private static final String DAEMON = "/bin/ocicat daemon";
  private static final String NODE = "/bin/ocicat node";

  /** All of it, in another folder. */
  List<InstallItem> copyTo(Path there) {
    List<InstallItem> items = new ArrayList<>();
    try (Stream<Path> all = Files.walk(home)) {
      for (Path path : (Iterable<Path>) all.sorted()::iterator) {
        if (Files.isSymbolicLink(path) || Files.isRegularFile(path)) {
          items.add(InstallItem.copy(path, there.resolve(home.relativize(path).toString())));
        }
      }
    } catch (IOException e) {
      throw InstallException.of("list", home, e);
    }
    return items;
  }

  /** The folders that such a copy has, outermost first. */
  List<Path> folders(Path there) {
    try (Stream<Path> all = Files.walk(home)) {
      return all.filter(path -> Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
          .sorted()
          .map(path -> there.resolve(home.relativize(path).toString()))
          .toList();
    } catch (IOException e) {
      throw InstallException.of("list", home, e);
    }
  }

  /** The executables, all the same file, and the link by which they find the distribution. */
  List<InstallItem> plugins(Path directory, Path finalHome) {
    List<InstallItem> items = new ArrayList<>();
    items.add(InstallItem.link(finalHome, directory.resolve(HOME_LINK)));
    Plugins.names().stream()
        .sorted()
        .forEach(
            name -> items.add(InstallItem.copy(home.resolve("lib/shim"), directory.resolve(name))));
    return items;
  }

  /** The file that keeps the executables in a directory from starting a daemon. */
  static Path noOnDemand(Path directory) {
    return directory.resolve(NO_ON_DEMAND);
  }

  List<InstallItem> units(Path directory, Path finalHome, boolean node, boolean cri) {
    if (finalHome.toString().chars().anyMatch(c -> c <= ' ' || c == '"' || c == '\\' || c == '%')) {
      throw new InstallException(
          "systemd cannot start what is in \"%s\": put the distribution, or --prefix, where the path has no blanks, quotes, backslashes or %% signs"
              .formatted(finalHome));
    }
    List<InstallItem> items = new ArrayList<>();
    List<String> names = new ArrayList<>(List.of("ocicat.socket", "ocicat.service"));
    if (cri) {
      names.add("ocicat-cri.service");
    }
    for (String name : names) {
      Path source = home.resolve("systemd").resolve(name);
      try {
        String text =
            Files.readString(source)
                .replace(HOME_IN_UNITS + DAEMON, HOME_IN_UNITS + (node ? NODE : DAEMON))
                .replace(HOME_IN_UNITS, finalHome.toString());
        items.add(
            InstallItem.text(
                text.getBytes(StandardCharsets.UTF_8), "rw-r--r--", directory.resolve(name)));
      } catch (IOException e) {
        throw InstallException.of("read", source, e);
      }
    }
    return items;
  }
}
