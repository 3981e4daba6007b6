package io.ocicat.cli.ipam;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.math.RoundingMode;

/** Formats numbers of addresses like calicoctl: five digits, and the share of a whole. */
final class AddressCount {
  private static final int DIGITS = 5;

  private AddressCount() {}

  /** {@code 65536}, {@code 1.2089e+24}. */
  static String text(BigInteger number) {
    BigDecimal rounded =
        new BigDecimal(number).round(new MathContext(DIGITS, RoundingMode.HALF_EVEN));
    int exponent = rounded.precision() - rounded.scale() - 1;
    if (number.signum() == 0 || exponent < DIGITS) {
      return rounded.toBigInteger().toString();
    }
    String digits = rounded.movePointLeft(exponent).stripTrailingZeros().toPlainString();
    return "%se+%02d".formatted(digits, exponent);
  }

  /** {@code 5 (0%)}. */
  static String share(BigInteger part, BigInteger whole) {
    BigDecimal percent =
        whole.signum() == 0
            ? BigDecimal.ZERO
            : new BigDecimal(part)
                .multiply(BigDecimal.valueOf(100))
                .divide(new BigDecimal(whole), 0, RoundingMode.HALF_EVEN);
    return "%s (%s%%)".formatted(text(part), percent.toPlainString());
  }
}
