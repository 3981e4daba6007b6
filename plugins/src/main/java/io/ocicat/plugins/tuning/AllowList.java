package io.ocicat.plugins.tuning;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.ocicat.base.Quoted;
import io.ocicat.cni.CniException;
import io.ocicat.cni.ErrorCode;
import io.ocicat.netlink.linux.RegularFile;
import io.ocicat.plugins.support.GoPattern;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * The administrator's list of sysctls that configurations may set: regular expressions, one per
 * line, of which one must match within the key as written. An empty list allows none.
 *
 * <p>It fails closed: everything is allowed only when the file does not exist. A file that is
 * unreadable or invalid is an error, because its author wanted to forbid something.
 */
record AllowList(List<String> lines, List<Pattern> patterns) {
  private static final int LARGEST = 1 << 20;

  AllowList {
    lines = List.copyOf(lines);
    patterns = List.copyOf(patterns);
  }

  /**
   * Reads the list of a file; empty when it does not exist.
   *
   * @throws CniException when it exists and is unusable
   */
  static Optional<AllowList> load(Path file) {
    Optional<String> text = read(file);
    if (text.isEmpty()) {
      return Optional.empty();
    }
    List<String> lines = text.get().lines().map(String::strip).filter(s -> !s.isEmpty()).toList();
    List<Pattern> patterns = new ArrayList<>();
    for (String line : lines) {
      try {
        patterns.add(GoPattern.compile(line));
      } catch (PatternSyntaxException e) {
        throw refuse(
            file,
            ErrorCode.INVALID_NETWORK_CONFIG,
            "%s is no regular expression: %s".formatted(Quoted.brief(line), e.getDescription()),
            e);
      }
    }
    return Optional.of(new AllowList(lines, patterns));
  }

  private static Optional<String> read(Path file) {
    try {
      byte[] bytes = RegularFile.start(file, LARGEST + 1);
      if (bytes.length > LARGEST) {
        throw new IOException("it is larger than %d bytes".formatted(LARGEST));
      }
      return Optional.of(UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString());
    } catch (NoSuchFileException e) {
      if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
        throw refuse(file, ErrorCode.IO_FAILURE, "it is a link to nowhere", e);
      }
      return Optional.empty();
    } catch (CharacterCodingException e) {
      throw refuse(file, ErrorCode.INVALID_NETWORK_CONFIG, "it is not UTF-8", e);
    } catch (IOException e) {
      throw refuse(file, ErrorCode.IO_FAILURE, String.valueOf(e.getMessage()), e);
    }
  }

  private static CniException refuse(Path file, ErrorCode code, String why, Exception cause) {
    return new CniException(
        code,
        "cannot use the list of allowed sysctls %s: %s; no sysctl is set until it is repaired or removed"
            .formatted(file, why),
        cause);
  }

  /**
   * Checks keys against the list.
   *
   * @throws CniException with code 7, naming the first key that is not on it
   */
  void require(List<NetSysctl> sysctls) {
    for (NetSysctl sysctl : sysctls) {
      if (patterns.stream().noneMatch(pattern -> pattern.matcher(sysctl.key()).find())) {
        throw new CniException(
            ErrorCode.INVALID_NETWORK_CONFIG,
            "Sysctl %s is not allowed. Only the following sysctls are allowed: [%s]"
                .formatted(sysctl.key(), String.join(" ", lines)));
      }
    }
  }
}
