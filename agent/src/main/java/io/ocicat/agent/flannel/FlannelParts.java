package io.ocicat.agent.flannel;

import io.ocicat.agent.kernel.RepairLog;
import io.ocicat.datastore.Datastore;
import io.ocicat.netlink.ns.NetNs;
import java.util.function.Consumer;

/**
 * What flannel's part works with.
 *
 * @param datastore the agent's
 * @param host the node's network namespace
 * @param node the name of the node
 * @param views told of every new view, by one thread
 */
public record FlannelParts(
    FlannelSettings settings,
    Datastore datastore,
    NetNs host,
    String node,
    Consumer<FlannelView> views,
    RepairLog log) {}
