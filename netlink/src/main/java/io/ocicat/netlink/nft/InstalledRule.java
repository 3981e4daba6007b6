package io.ocicat.netlink.nft;

import io.ocicat.netlink.Attributes;
import io.ocicat.netlink.NetlinkMessage;
import java.util.List;

/**
 * A rule as the kernel reports it.
 *
 * @param handle its number within the table, never reused
 * @param comment empty for none
 * @param note as in {@link Rule}
 */
public record InstalledRule(
    ChainId chain, long handle, List<Expression> expressions, String comment, String note) {
  public InstalledRule {
    expressions = List.copyOf(expressions);
  }

  static InstalledRule read(NetlinkMessage message) {
    Attributes attributes = Nft.attributes(message);
    TableId table = new TableId(Nft.family(message), Nft.name(attributes, Rules.TABLE));
    return new InstalledRule(
        table.chain(Nft.name(attributes, Rules.CHAIN)),
        attributes.be64(Rules.HANDLE, 0),
        ExpressionReader.read(attributes.elements(Rules.EXPRESSIONS)),
        UserData.readText(attributes, Rules.USERDATA, UserData.COMMENT),
        UserData.readText(attributes, Rules.USERDATA, UserData.NOTE));
  }
}
