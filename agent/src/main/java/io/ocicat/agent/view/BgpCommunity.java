package io.ocicat.agent.view;

import io.ocicat.base.Quoted;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** A BGP community: two numbers of 16 bits, or a large one of three numbers of 32 bits. */
public record BgpCommunity(List<Long> numbers) {
  private static final Pattern FORM = Pattern.compile("\\d{1,10}:\\d{1,10}(:\\d{1,10})?");
  private static final long MAX_STANDARD = 0xffff;
  private static final long MAX_LARGE = 0xffff_ffffL;

  public BgpCommunity {
    numbers = List.copyOf(numbers);
  }

  /**
   * Parses 64512:100 or 64512:1:2.
   *
   * @throws IllegalArgumentException when it is not a community
   */
  public static BgpCommunity parse(String text) {
    List<Long> numbers = new ArrayList<>();
    if (FORM.matcher(text).matches()) {
      for (String part : text.split(":", -1)) {
        numbers.add(Long.parseLong(part));
      }
    }
    long max = numbers.size() == 2 ? MAX_STANDARD : MAX_LARGE;
    if (numbers.isEmpty() || numbers.stream().anyMatch(number -> number > max)) {
      throw new IllegalArgumentException(
          "%s is not a community, as in 64512:100 or 64512:1:2".formatted(Quoted.brief(text)));
    }
    return new BgpCommunity(numbers);
  }

  public static boolean isOne(String text) {
    try {
      parse(text);
      return true;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  public boolean isLarge() {
    return numbers.size() == 3;
  }
}
