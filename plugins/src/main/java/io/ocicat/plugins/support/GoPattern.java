package io.ocicat.plugins.support;

import java.util.Map;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * Translates Go's regular expressions to Java's. Nearly all of the syntax means the same; what
 * would silently mean something else is rewritten: POSIX classes, brackets and ampersands in a
 * class, names of groups. What Java does not support is rejected.
 */
public final class GoPattern {
  private static final Map<String, String> POSIX =
      Map.ofEntries(
          Map.entry("alnum", "Alnum"),
          Map.entry("alpha", "Alpha"),
          Map.entry("ascii", "ASCII"),
          Map.entry("blank", "Blank"),
          Map.entry("cntrl", "Cntrl"),
          Map.entry("digit", "Digit"),
          Map.entry("graph", "Graph"),
          Map.entry("lower", "Lower"),
          Map.entry("print", "Print"),
          Map.entry("punct", "Punct"),
          Map.entry("space", "Space"),
          Map.entry("upper", "Upper"),
          Map.entry("xdigit", "XDigit"));

  private final String go;
  private final StringBuilder java = new StringBuilder();
  private int at;

  private GoPattern(String go) {
    this.go = go;
  }

  /**
   * The Java pattern.
   *
   * @throws PatternSyntaxException when it is invalid
   */
  public static Pattern compile(String go) {
    return Pattern.compile(new GoPattern(go).translate());
  }

  private String translate() {
    while (at < go.length()) {
      if (next("\\")) {
        escape();
      } else if (next("[")) {
        bracket();
      } else if (next("(?P<")) {
        at = position('>') + 1;
        java.append("(?:");
      } else {
        java.append(go.charAt(at++));
      }
    }
    return java.toString();
  }

  private void escape() {
    if (next("\\Q")) {
      int end = go.indexOf("\\E", at);
      copyTo(end < 0 ? go.length() : end + 2);
    } else if (at + 1 < go.length() && Character.isDigit(go.charAt(at + 1))) {
      throw refuse("a backslash before a digit");
    } else {
      copyTo(Math.min(at + 2, go.length()));
    }
  }

  private void bracket() {
    copyTo(at + 1);
    if (next("^")) {
      copyTo(at + 1);
    }
    for (boolean first = true; first || !next("]"); first = false) {
      if (at == go.length()) {
        throw refuse("a class without end");
      }
      if (next("\\")) {
        escape();
      } else if (next("[:")) {
        posixClass();
      } else {
        char c = go.charAt(at++);
        // A nested class or an intersection to Java, a character to Go.
        java.append(c == '[' || c == ']' || c == '&' ? "\\" : "").append(c);
      }
    }
    copyTo(at + 1);
  }

  private void posixClass() {
    int end = go.indexOf(":]", at);
    String name = end < 0 ? "" : go.substring(at + 2, end);
    boolean negated = name.startsWith("^");
    String plain = negated ? name.substring(1) : name;
    if (plain.equals("word")) {
      java.append(negated ? "\\W" : "\\w");
    } else if (POSIX.containsKey(plain)) {
      java.append(negated ? "\\P{" : "\\p{").append(POSIX.get(plain)).append('}');
    } else {
      throw refuse("an unknown class");
    }
    at = end + 2;
  }

  private boolean next(String text) {
    return go.startsWith(text, at);
  }

  private void copyTo(int end) {
    java.append(go, at, end);
    at = end;
  }

  private int position(char wanted) {
    int found = go.indexOf(wanted, at);
    if (found < 0) {
      throw refuse("the name of a group without end");
    }
    return found;
  }

  private PatternSyntaxException refuse(String what) {
    return new PatternSyntaxException(what, go, at);
  }
}
