package io.ocicat.plugins;

/** The verbs that tests call on a plugin. */
public interface Verbs {
  Ran run(String verb);

  default Ran add() {
    return run("ADD");
  }

  default Ran check() {
    return run("CHECK");
  }

  default Ran del() {
    return run("DEL");
  }

  default Ran gc() {
    return run("GC");
  }

  default Ran status() {
    return run("STATUS");
  }
}
