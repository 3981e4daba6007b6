package io.ocicat.cni.runtime;

import java.nio.file.Path;
import java.util.List;

/** The outcome of reading one file of a configuration directory. */
sealed interface ConfFile {
  Path file();

  /** The network's name, if readable; otherwise empty. */
  String name();

  record Good(NetworkFile network) implements ConfFile {
    @Override
    public Path file() {
      return network.file();
    }

    @Override
    public String name() {
      return network.name();
    }
  }

  record Bad(Path file, String name, List<ConfProblem> problems) implements ConfFile {
    public Bad {
      problems = List.copyOf(problems);
    }
  }
}
