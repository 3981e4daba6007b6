/**
 * What both of Calico's plugins must know of the cluster that they are part of: which node this is,
 * and where its datastore and its pods are.
 */
@NullMarked
package io.ocicat.plugins.calicocluster;

import org.jspecify.annotations.NullMarked;
