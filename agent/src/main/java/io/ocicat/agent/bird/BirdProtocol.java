package io.ocicat.agent.bird;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A protocol as {@code show protocols} lists it.
 *
 * @param proto such as {@code BGP} or {@code Kernel}
 * @param state {@code up}, {@code start}, {@code stop} or {@code down}
 * @param since when it came to this state, as BIRD prints it
 * @param info for BGP its state and, if any, the last error
 * @param details such as {@code Neighbor address}; empty if they were not asked for
 * @param channels likewise
 */
public record BirdProtocol(
    String name,
    String proto,
    String state,
    String since,
    String info,
    Map<String, String> details,
    List<Channel> channels) {
  private static final int ROW = 1002;
  private static final int DETAILS = 1006;
  private static final int HEADING = 2002;

  private static final Pattern COLUMNS =
      Pattern.compile(
          "(?<name>\\S+)\\s+(?<proto>\\S+)\\s+(?<table>\\S+)\\s+(?<state>\\S+)\\s+"
              + "(?<since>\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d\\S*|\\S+)(\\s+(?<info>.*))?");
  private static final Pattern DETAIL = Pattern.compile("(?<name>[^:]+):\\s+(?<value>.*)");
  private static final Pattern COUNT = Pattern.compile("(?<number>\\d{1,18}) (?<what>\\w+)");

  /**
   * What a protocol exchanges with one table.
   *
   * @param name such as {@code ipv4}
   */
  public record Channel(String name, String state, long imported, long exported) {}

  public BirdProtocol {
    details = Map.copyOf(details);
    channels = List.copyOf(channels);
  }

  /** A protocol, and a channel of it, while its lines are read. */
  private static final class Draft {
    private final Matcher row;
    private final Map<String, String> details = new LinkedHashMap<>();
    private final List<Channel> channels = new ArrayList<>();
    private final Map<String, String> ofChannel = new LinkedHashMap<>();
    private String channel = "";

    Draft(Matcher row) {
      this.row = row;
    }

    void detail(String line) {
      String text = line.strip();
      if (text.startsWith("Channel ")) {
        endChannel();
        channel = text.substring("Channel ".length());
        return;
      }
      Matcher detail = DETAIL.matcher(text);
      if (detail.matches()) {
        (channel.isEmpty() ? details : ofChannel)
            .putIfAbsent(detail.group("name"), detail.group("value").strip());
      }
    }

    private void endChannel() {
      if (!channel.isEmpty()) {
        String routes = ofChannel.getOrDefault("Routes", "");
        channels.add(
            new Channel(
                channel,
                ofChannel.getOrDefault("State", ""),
                count(routes, "imported"),
                count(routes, "exported")));
      }
      ofChannel.clear();
      channel = "";
    }

    BirdProtocol finish() {
      endChannel();
      String info = row.group("info");
      return new BirdProtocol(
          row.group("name"),
          row.group("proto"),
          row.group("state"),
          row.group("since"),
          info == null ? "" : info.strip(),
          details,
          channels);
    }
  }

  private static long count(String routes, String what) {
    Matcher count = COUNT.matcher(routes);
    while (count.find()) {
      if (count.group("what").equals(what)) {
        return Long.parseLong(count.group("number"));
      }
    }
    return 0;
  }

  static List<BirdProtocol> listOf(BirdReply reply) {
    List<Draft> drafts = new ArrayList<>();
    for (BirdReply.Line line : reply.lines()) {
      switch (line.code()) {
        case ROW -> {
          Matcher row = COLUMNS.matcher(line.text().strip());
          if (!row.matches()) {
            throw malformed(line);
          }
          drafts.add(new Draft(row));
        }
        case DETAILS -> {
          if (drafts.isEmpty()) {
            throw malformed(line);
          }
          drafts.getLast().detail(line.text());
        }
        case HEADING, 0 -> {}
        default -> throw malformed(line);
      }
    }
    return drafts.stream().map(Draft::finish).toList();
  }

  private static BirdException.Malformed malformed(BirdReply.Line line) {
    return new BirdException.Malformed(
        "this does not describe a protocol of BIRD's: \"%s\"".formatted(line.text()));
  }
}
