/**
 * Addresses, routes, routing rules and neighbours. Each has a record that describes one, to be
 * added or as the kernel reports it, and a class named by its plural that builds the requests and
 * queries: {@code net.perform(Addresses.add(Address.of(prefix, eth0)),
 * Routes.add(Route.to(prefix).via(gateway).dev(eth0)))}.
 */
@NullMarked
package io.ocicat.netlink.route;

import org.jspecify.annotations.NullMarked;
