/**
 * The data types of the CNI specification: configurations, requests, results and errors of all
 * versions.
 */
@NullMarked
package io.ocicat.cni;

import org.jspecify.annotations.NullMarked;
