package io.ocicat.plugins.calicolog;

import io.ocicat.cni.plugin.Call;
import java.time.Clock;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * The log of one call: on standard error, and in the file that the configuration names. It never
 * contains standard input, which holds tokens.
 */
public final class CalicoLog {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS", Locale.ROOT)
          .withZone(ZoneId.systemDefault());

  private final Call call;
  private final String plugin;
  private final LogConf.Level level;
  private final Optional<LogFile> file;
  private final String about;
  private final Clock clock;

  /**
   * For one call.
   *
   * @param plugin the called plugin
   * @param about appended to every line
   */
  public CalicoLog(Call call, String plugin, LogConf conf, String about, Clock clock) {
    this.plugin = plugin;
    this.call = call;
    this.level = conf.level();
    this.file = conf.file().map(path -> new LogFile(path, conf, clock));
    this.about = about;
    this.clock = clock;
    if (!conf.unknownLevel().isEmpty()) {
      warn(
          "log_level \"%s\" is not known: use debug, info, warning or error"
              .formatted(conf.unknownLevel()));
    }
  }

  /** Logs a step of the call; the message is only composed if its level is enabled. */
  public void debug(Supplier<String> step) {
    if (level == LogConf.Level.DEBUG) {
      write(LogConf.Level.DEBUG, step.get());
    }
  }

  public void info(String sentence) {
    write(LogConf.Level.INFO, sentence);
  }

  public void warn(String sentence) {
    write(LogConf.Level.WARNING, sentence);
  }

  public void error(String sentence) {
    write(LogConf.Level.ERROR, sentence);
  }

  /** Logs one line for the call, whether it succeeds or fails. */
  public <T> T logged(String verb, Supplier<T> work) {
    try {
      T done = work.get();
      info(verb + " done");
      return done;
    } catch (RuntimeException e) {
      error("%s failed: %s".formatted(verb, e.getMessage()));
      throw e;
    }
  }

  private void write(LogConf.Level of, String sentence) {
    if (of.compareTo(level) < 0) {
      return;
    }
    String line =
        "%s [%s][%d] cni-plugin/%s: %s %s"
            .formatted(
                TIME.format(clock.instant()),
                of,
                ProcessHandle.current().pid(),
                plugin,
                sentence.replace('\n', ' '),
                about);
    call.log(line);
    file.flatMap(log -> log.append(line)).ifPresent(call::log);
  }
}
