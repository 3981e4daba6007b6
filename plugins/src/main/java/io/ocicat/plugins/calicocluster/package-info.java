/**
 * What both of Calico's plugins know of their cluster: the node's name, and where its datastore and
 * pods are.
 */
@NullMarked
package io.ocicat.plugins.calicocluster;

import org.jspecify.annotations.NullMarked;
