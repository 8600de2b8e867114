{{/* What every process is set to, as text by name. */}}
{{- define "causeway.settings" -}}
NODE_ENV: production
PUBLIC_URL: {{ .Values.publicUrl | quote }}
OIDC_ISSUER: {{ .Values.oidcIssuer | quote }}
{{- if .Values.trustedCa.configMap }}
NODE_EXTRA_CA_CERTS: /etc/causeway-ca/{{ .Values.trustedCa.key }}
{{- end }}
{{- range $name, $value := .Values.config }}
{{ $name }}: {{ $value | quote }}
{{- end }}
{{- end }}

{{/* The URL of the database that CloudNativePG made is in a secret of its own. */}}
{{- define "causeway.databaseEnv" -}}
{{- if .Values.postgres.enabled }}
- name: DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ include "causeway.fullname" . }}-database-app
      key: uri
{{- if .Values.postgres.readReplicas }}
{{- range $variable, $key := dict "REPLICA_USER" "username" "REPLICA_PASSWORD" "password" "REPLICA_DATABASE" "dbname" }}
- name: {{ $variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "causeway.fullname" $ }}-database-app
      key: {{ $key }}
{{- end }}
# The operator's secret names the primary alone. Its passwords have no characters that a URL escapes.
- name: DATABASE_REPLICA_URL
  value: postgresql://$(REPLICA_USER):$(REPLICA_PASSWORD)@{{ include "causeway.fullname" . }}-database-ro:5432/$(REPLICA_DATABASE)
{{- end }}
{{- end }}
{{- end }}

{{/* Takes (list root role). The id is the one of the image's user. */}}
{{- define "causeway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "causeway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- if and (eq (index . 1) "worker") (eq (index . 0).Values.worker.sandbox "os") }}
# The first lines of a sandbox are user and mount namespaces, which the profiles of a runtime refuse. The pod is in a user namespace itself.
procMount: Unmasked
appArmorProfile:
  type: Unconfined
seccompProfile:
{{- with (index . 0).Values.worker.seccompProfile }}
  type: Localhost
  localhostProfile: {{ . | quote }}
{{- else }}
  type: Unconfined
{{- end }}
{{- end }}
{{- end }}

{{/* Where pods of every kind run, and with whose image. */}}
{{- define "causeway.placement" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
  - name: {{ . }}
{{- end }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "causeway.mounts" -}}
- name: tmp
  mountPath: /tmp
- name: files
  mountPath: /var/lib/causeway
{{- if .Values.trustedCa.configMap }}
- name: trusted-ca
  mountPath: /etc/causeway-ca
  readOnly: true
{{- end }}
{{- end }}

{{/* Takes (list root needsFiles): a pod that stores no files, and one beside a bucket, need only room for what they write meanwhile. */}}
{{- define "causeway.volumes" -}}
{{- $root := index . 0 -}}
- name: tmp
  emptyDir: {}
- name: files
{{- if and (index . 1) (not $root.Values.config.S3_BUCKET) }}
  persistentVolumeClaim:
    claimName: {{ $root.Values.files.existingClaim | default (printf "%s-files" (include "causeway.fullname" $root)) }}
{{- else }}
  emptyDir: {}
{{- end }}
{{- with $root.Values.trustedCa.configMap }}
- name: trusted-ca
  configMap:
    name: {{ . }}
{{- end }}
{{- end }}

{{/* A Deployment of one role. Takes (list root role). */}}
{{- define "causeway.deployment" -}}
{{- $root := index . 0 -}}
{{- $role := index . 1 -}}
{{- $own := index $root.Values $role -}}
{{- $isApi := eq $role "api" -}}
{{- $probed := ternary "http" "metrics" $isApi -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "causeway.fullname" $root }}-{{ $role }}
  labels:
    {{- include "causeway.labels" . | nindent 4 }}
spec:
  {{- if not $own.autoscaling.enabled }}
  replicas: {{ $own.replicas }}
  {{- end }}
  selector:
    matchLabels:
      {{- include "causeway.selector" . | nindent 6 }}
  strategy:
    rollingUpdate:
      maxSurge: 1
      maxUnavailable: 0
  template:
    metadata:
      labels:
        {{- include "causeway.labels" . | nindent 8 }}
      annotations:
        # A changed setting starts new pods.
        causeway/settings: {{ include "causeway.settings" $root | sha256sum }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "causeway.serviceAccountName" $root }}
      {{- include "causeway.placement" $root | nindent 6 }}
      {{- if and (not $isApi) (eq $own.sandbox "os") }}
      hostUsers: false
      {{- end }}
      securityContext:
        {{- include "causeway.podSecurity" $root | nindent 8 }}
      terminationGracePeriodSeconds: {{ ternary (add $own.drainSeconds ($own.endpointSeconds | default 0)) $own.drainSeconds $isApi }}
      topologySpreadConstraints:
        {{- range list "kubernetes.io/hostname" "topology.kubernetes.io/zone" }}
        - maxSkew: 1
          topologyKey: {{ . }}
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels:
              {{- include "causeway.selector" (list $root $role) | nindent 14 }}
          matchLabelKeys: [pod-template-hash]
        {{- end }}
      containers:
        - name: {{ $role }}
          image: {{ include "causeway.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          securityContext:
            {{- include "causeway.containerSecurity" . | nindent 12 }}
          envFrom:
            - configMapRef:
                name: {{ include "causeway.fullname" $root }}
            - secretRef:
                name: {{ $root.Values.secretName }}
          env:
            - name: ROLE
              value: {{ $role }}
            {{- if and (not $isApi) (eq $own.sandbox "none") }}
            - name: SANDBOX_ALLOW_NO_OS_BOUNDARY
              value: '1'
            {{- end }}
            {{- include "causeway.databaseEnv" $root | nindent 12 }}
          ports:
            {{- if $isApi }}
            - name: http
              containerPort: 4000
            {{- end }}
            - name: metrics
              containerPort: 9464
          # A process that lost its database is alive, and a restart would not bring that back.
          startupProbe:
            httpGet:
              path: /healthz
              port: {{ $probed }}
            periodSeconds: 2
            failureThreshold: 60
          livenessProbe:
            httpGet:
              path: /healthz
              port: {{ $probed }}
            periodSeconds: 10
            timeoutSeconds: 5
          readinessProbe:
            httpGet:
              path: /readyz
              port: {{ $probed }}
            periodSeconds: 5
            timeoutSeconds: 5
          {{- if and $isApi $own.endpointSeconds }}
          lifecycle:
            preStop:
              sleep:
                seconds: {{ $own.endpointSeconds }}
          {{- end }}
          resources:
            {{- toYaml $own.resources | nindent 12 }}
          volumeMounts:
            {{- include "causeway.mounts" $root | nindent 12 }}
      volumes:
        {{- include "causeway.volumes" (list $root true) | nindent 8 }}
{{- end }}
